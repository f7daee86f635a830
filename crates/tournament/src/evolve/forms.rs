//! The fold of events about secret wagers.

use rules::{Balance, Cents};
use shoe::Digest;

use crate::event::EntrantId;
use crate::sitting::{Chair, Form};
use crate::state::State;

impl State {
    pub(super) fn hand_in(&mut self, id: EntrantId, commitment: Digest) {
        let sitting = self.sitting_of(id);
        let found = sitting.and_then(|sitting| sitting.chair(id).map(|chair| (sitting, chair)));
        let Some((sitting, chair)) = found else { return };
        let (chips, dealt, beside) = (sitting.stack(chair), sitting.dealt, [Cents::ZERO; 3]);
        self.forms.push(commitment);
        self.with_chair(id, |chair| {
            chair.form =
                Some(Form { commitment, examined: false, chips, dealt, beside, held: chair.held });
            chair.secrets += 1;
        });
    }

    /// A form was opened, or cannot be read.
    pub(super) fn open_form(&mut self, id: EntrantId) {
        let laying = self.sitting_of(id).is_some_and(|sitting| sitting.laying);
        self.with_chair(id, |chair| {
            chair.form = None;
            (chair.shown, chair.laid) = (true, laying);
        });
    }
}

impl Chair {
    pub(super) const fn examine(&mut self) {
        if let Some(form) = &mut self.form {
            form.examined = true;
        }
    }

    pub(super) fn return_form(&mut self) {
        self.form = None;
        self.secrets = self.secrets.saturating_sub(1);
    }

    /// Treats the form as if it had never existed: it is not used up, and nobody sees it.
    pub(super) fn void_form(&mut self) {
        (self.form, self.laid, self.fine) = (None, false, Balance::ZERO);
        self.secrets = self.secrets.saturating_sub(1);
    }
}
