//! Every request that is answered, in one list: the router and the description of the API are both
//! made from it.

pub(crate) mod accounts;
pub(crate) mod analyst;
pub(crate) mod asked;
pub(crate) mod house;
pub(crate) mod links;
pub(crate) mod operators;
pub(crate) mod tables;
pub(crate) mod tournaments;

use axum::routing::{MethodRouter, delete, get, post};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use table::Role;

use crate::App;
use crate::problem::Problem;
use crate::socket;
use Asks::{Anybody, Dealing, Director, EventStaff, Operator, Somebody};

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Anybody.
    Anybody,
    /// Somebody who is signed in, as a guest at least; the floor looks at the role.
    Somebody,
    /// The operator.
    Operator,
    /// The director.
    Director,
    /// Whoever has the system deal.
    Dealing,
    /// Whoever runs a tournament, or looks after it.
    EventStaff,
}

impl Asks {
    /// The roles of which one is needed; none, where the floor looks at the role, or nobody does.
    pub(crate) const fn roles(self) -> &'static [Role] {
        match self {
            Self::Anybody | Self::Somebody => &[],
            Self::Operator => &[Role::Operator],
            Self::Director => &[Role::Director],
            Self::Dealing => &[Role::Director, Role::Dealer],
            Self::EventStaff => &[
                Role::Director,
                Role::Operator,
                Role::Inspector,
                Role::Supervisor,
                Role::Dealer,
                Role::Regulator,
            ],
        }
    }
}

const GET: &str = "get";
const POST: &str = "post";
const DELETE: &str = "delete";

type Make = fn(&mut SchemaGenerator) -> Schema;

/// One request that is answered.
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) what: &'static str,
    pub(crate) asks: Asks,
    pub(crate) query: Option<Make>,
    pub(crate) body: Option<Make>,
    pub(crate) answer: Make,
    pub(crate) handler: MethodRouter<App>,
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

fn route<A: JsonSchema>(
    (method, path): (&'static str, &'static str),
    what: &'static str,
    asks: Asks,
    handler: MethodRouter<App>,
) -> Route {
    let answer = schema::<A>;
    Route { method, path, what, asks, query: None, body: None, answer, handler }
}

impl Route {
    fn body<B: JsonSchema>(mut self) -> Self {
        self.body = Some(schema::<B>);
        self
    }

    fn query<Q: JsonSchema>(mut self) -> Self {
        self.query = Some(schema::<Q>);
        self
    }
}

/// All of them.
pub(crate) fn routes() -> Vec<Route> {
    let mut routes = for_people();
    routes.extend(for_staff());
    routes.extend(for_tables());
    routes.extend(for_tournaments());
    routes.extend(for_shoes_of_tournaments());
    routes.extend(for_analysts());
    let (what, handler) = ("The socket: see the messages below", get(socket::open));
    routes.push(route::<Value>((GET, "/socket"), what, Anybody, handler));
    routes
}

/// Who comes in, and what they set for themselves.
fn for_people() -> Vec<Route> {
    vec![
        route::<accounts::Entered>(
            (POST, "/guests"),
            "Play without signing up: an account with play chips",
            Anybody,
            post(accounts::guest),
        )
        .body::<accounts::NewGuest>(),
        route::<accounts::Me>(
            (GET, "/me"),
            "Who you are, and what your account holds",
            Somebody,
            get(accounts::me),
        ),
        route::<accounts::Entered>((POST, "/session"), "Sign in", Anybody, post(accounts::sign_in))
            .body::<accounts::SigningIn>(),
        route::<Value>((DELETE, "/session"), "Sign out", Somebody, delete(accounts::sign_out)),
        route::<Value>(
            (DELETE, "/sessions"),
            "Sign out everywhere",
            Somebody,
            delete(accounts::sign_out_everywhere),
        ),
        route::<accounts::Entered>(
            (POST, "/register"),
            "A guest becomes a member, and keeps name, chips and history",
            Somebody,
            post(accounts::register),
        )
        .body::<accounts::Registering>(),
        route::<Value>(
            (POST, "/password"),
            "Another password",
            Somebody,
            post(accounts::change_password),
        )
        .body::<accounts::NewPassword>(),
        route::<accounts::Me>(
            (POST, "/chips"),
            "More play chips from the house, when there are few left",
            Somebody,
            post(accounts::chips),
        )
        .body::<accounts::Keyed>(),
        route::<Value>(
            (POST, "/limits"),
            "Limits that you set for yourself: wider ones hold a day later",
            Somebody,
            post(accounts::limits),
        )
        .body::<accounts::NewLimits>(),
        route::<Value>(
            (POST, "/pause"),
            "A pause that cannot be taken back",
            Somebody,
            post(accounts::pause),
        )
        .body::<accounts::NewPause>(),
    ]
}

/// One-time links, and who came in.
fn for_staff() -> Vec<Route> {
    vec![
        route::<links::Invited>(
            (POST, "/invitations"),
            "A one-time link for a dealer, supervisor, inspector, director, operator or auditor",
            Operator,
            post(links::invite),
        )
        .body::<links::Inviting>(),
        route::<links::LinkView>(
            (GET, "/links/{token}"),
            "What a one-time link is for",
            Anybody,
            get(links::look_at_link),
        ),
        route::<accounts::Entered>(
            (POST, "/links/{token}"),
            "Follow a one-time link: take up an invitation, or set a password",
            Anybody,
            post(links::follow_link),
        )
        .body::<links::Following>(),
        route::<links::Invited>(
            (POST, "/accounts/{name}/link"),
            "A one-time link for somebody who forgot the password",
            Operator,
            post(links::reset),
        ),
        route::<operators::Corrected>(
            (POST, "/accounts/{name}/correct"),
            "Correct a balance: two operators say the same within ten minutes",
            Operator,
            post(operators::correct),
        )
        .body::<operators::Correction>(),
        route::<operators::Roles>(
            (POST, "/accounts/{name}/dismiss"),
            "Take a role away from somebody",
            Operator,
            post(operators::dismiss),
        )
        .body::<operators::Dismissal>(),
        route::<Vec<links::LinkDeed>>(
            (GET, "/links"),
            "The last one-time links: who made them, for what, and who came in by them",
            Operator,
            get(links::links),
        ),
        route::<Vec<accounts::SignIn>>(
            (GET, "/sign-ins"),
            "The last attempts to sign in",
            Operator,
            get(accounts::sign_ins),
        ),
    ]
}

/// Tables.
fn for_tables() -> Vec<Route> {
    vec![
        route::<Vec<tables::TableRow>>((GET, "/tables"), "The tables", Anybody, get(tables::list)),
        route::<tables::Opened>((POST, "/tables"), "Open a table", Operator, post(tables::open))
            .body::<tables::NewTable>(),
        route::<view::TableView>(
            (GET, "/tables/{id}"),
            "A table as you may see it",
            Anybody,
            get(tables::one),
        )
        .query::<tables::Looking>(),
        route::<tables::TableEvents>(
            (GET, "/tables/{id}/events"),
            "What happened at a table behind a version, as you may see it",
            Anybody,
            get(tables::events),
        )
        .query::<tables::Since>(),
        route::<tables::Done>(
            (POST, "/tables/{id}/orders"),
            "Say something at a table: a line of the language, or an act",
            Somebody,
            post(tables::order),
        )
        .body::<asked::Asked>(),
        route::<tables::WouldDo>(
            (POST, "/tables/{id}/try"),
            "What an order would do, without doing it: before something is taken back",
            Somebody,
            post(tables::consider),
        )
        .body::<tables::Trial>(),
        route::<tables::ShoeDocument>(
            (GET, "/tables/{id}/shoe"),
            "What was published of the current shoe",
            Anybody,
            get(tables::shoe),
        ),
        route::<tables::ShoeDocument>(
            (GET, "/tables/{id}/shoe/last"),
            "What was published of the last shoe that is over, its secret included",
            Anybody,
            get(tables::last_shoe),
        ),
        route::<Value>(
            (POST, "/tables/{id}/shoe/promise"),
            "Take part in the shoe: promise two words",
            Somebody,
            post(tables::promise),
        )
        .body::<tables::NewPromise>(),
        route::<Value>(
            (POST, "/tables/{id}/shoe/word"),
            "Open a word that you promised",
            Somebody,
            post(tables::word),
        )
        .body::<tables::NewWord>(),
    ]
}

/// Tournaments.
fn for_tournaments() -> Vec<Route> {
    use tournaments as events;
    vec![
        route::<Vec<events::EventRow>>(
            (GET, "/tournaments"),
            "The tournaments",
            Anybody,
            get(events::list),
        ),
        route::<tables::Opened>(
            (POST, "/tournaments"),
            "Hold a tournament",
            Director,
            post(events::open),
        )
        .body::<events::NewTournament>(),
        route::<view::TournamentView>(
            (GET, "/tournaments/{id}"),
            "A tournament as you may see it",
            Anybody,
            get(events::one),
        )
        .query::<tables::Looking>(),
        route::<events::TournamentEvents>(
            (GET, "/tournaments/{id}/events"),
            "What happened in a tournament behind a version",
            Anybody,
            get(events::events),
        )
        .query::<tables::Since>(),
        route::<events::EventDone>(
            (POST, "/tournaments/{id}/orders"),
            "Say something in a tournament: as player, director, inspector or dealer",
            Somebody,
            post(events::order),
        )
        .body::<asked::Asked>(),
        route::<events::EventDone>(
            (POST, "/tournaments/{id}/ballot"),
            "A ballot for places, whose secret the house keeps sealed",
            Director,
            post(events::ballot),
        )
        .body::<events::NewBallot>(),
        route::<events::EventDone>(
            (POST, "/tournaments/{id}/deal"),
            "The system deals at a table as far as nobody is asked",
            Dealing,
            post(events::deal),
        )
        .body::<events::NewDeal>(),
        route::<events::EventDone>(
            (POST, "/tournaments/{id}/form"),
            "Hand in the sealed form of a secret wager",
            Somebody,
            post(events::form),
        )
        .body::<events::NewForm>(),
        route::<events::SheetDocument>(
            (GET, "/tournaments/{id}/sheets/{sheet}"),
            "A sheet of a tournament, to be printed: entrants, seating, scores or results",
            EventStaff,
            get(events::sheet),
        ),
    ]
}

/// The shoes at the tables of tournaments.
fn for_shoes_of_tournaments() -> Vec<Route> {
    vec![
        route::<tables::ShoeDocument>(
            (GET, "/tournaments/{id}/tables/{number}/shoe"),
            "What was published of the shoe at a table of a tournament",
            Anybody,
            get(tournaments::shoe),
        ),
        route::<Value>(
            (POST, "/tournaments/{id}/tables/{number}/shoe/promise"),
            "Promise words for the shoe of the table that you play at in a tournament",
            Somebody,
            post(tournaments::promise),
        )
        .body::<tables::NewPromise>(),
        route::<Value>(
            (POST, "/tournaments/{id}/tables/{number}/shoe/word"),
            "Open a word that was promised for the shoe of a tournament's table",
            Somebody,
            post(tournaments::word),
        )
        .body::<tables::NewWord>(),
    ]
}

/// For those who want to know.
fn for_analysts() -> Vec<Route> {
    vec![
        route::<analyst::Judged>(
            (POST, "/judge"),
            "Play a transcript, and get the ruling of every line",
            Anybody,
            post(analyst::judge),
        ),
        route::<analyst::OddsDocument>(
            (GET, "/odds"),
            "What every wager of a book is worth, exactly",
            Anybody,
            get(analyst::odds),
        )
        .query::<analyst::OddsAsked>(),
        route::<Vec<analyst::BookRow>>((GET, "/books"), "The books", Anybody, get(analyst::books)),
        route::<analyst::BookDocument>(
            (GET, "/books/{id}"),
            "A book, or a sheet of side bets, clause by clause",
            Anybody,
            get(analyst::book),
        ),
        route::<house::HeadView>(
            (GET, "/head"),
            "The newest signed head of the log, to be kept by whoever wants to check it later",
            Anybody,
            get(house::head),
        ),
        route::<house::HouseView>(
            (GET, "/house"),
            "The clock of the house, and its place in the day",
            Anybody,
            get(house::house),
        ),
        route::<Value>(
            (GET, "/alarms"),
            "What is wrong with the log or a table",
            Operator,
            get(house::alarms),
        ),
    ]
}

/// Nothing is there.
pub(crate) async fn nothing() -> Problem {
    Problem::unknown("nothing is there")
}
