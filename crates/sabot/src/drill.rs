//! `sabot drill`: questions about dealing, scored, the weak spots more often.

mod bench;
mod questions;
#[cfg(test)]
mod tests;
mod topic;
mod trouble;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use clap::ValueEnum;
use rulebooks::Book;
use serde_json::json;
use store::{Answer, Append, Body, CommandKey, Entry, Store, StreamEntries};

use self::questions::{Question, ask};
pub(crate) use self::topic::Topic;
use crate::books::{load, pretty};
use crate::cli::DrillArguments;
use crate::data::Data;
use crate::play::{Chance, runtime};
use crate::show::{Format, Style, lines, plain, strong};
use crate::typed::text_of;

const STREAM: &str = "drill";

/// Right and wrong answers on a topic.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    right: u32,
    wrong: u32,
}

impl Score {
    /// How often a topic comes up: more the more it is missed, never not at all.
    fn weight(self) -> u32 {
        let asked = self.right + self.wrong;
        (9 * self.wrong).checked_div(asked).map_or(6, |missed| 1 + missed)
    }
}

type Scores = BTreeMap<String, Score>;

pub(crate) fn run(arguments: &DrillArguments, format: Format, style: Style) -> Result<String> {
    let book = load(&arguments.book)?;
    let topics = match arguments.topic.as_slice() {
        [] => Topic::value_variants(),
        chosen => chosen,
    };
    let data = Data::folder(arguments.data.as_deref())?;
    let tasks = runtime()?;
    let path = data.drills()?;
    let store = tasks.block_on(Store::open(&path))?;
    crate::stop::stop_in_order(&store, tasks.handle().clone());
    let records = tasks.block_on(store.records(STREAM, 0))?;
    let mut scores = Scores::new();
    let mut recent = Vec::new();
    for record in &records {
        if let Body::Answer(answer) = record.read()?
            && answer.book == arguments.book
        {
            recent.push(answer);
        }
    }
    // What was learned long ago does not hide what is missed today.
    for answer in recent.iter().rev().take(200) {
        note(&mut scores, answer);
    }
    if !arguments.results {
        let version = records.len() as u64;
        let mut drill = Drill { book: &book, name: &arguments.book, version, scores };
        let mut keep = |append| tasks.block_on(store.append(append)).map(|_| ());
        let mut out = crate::show::talk(format);
        let went = drill.go(arguments.questions, topics, &mut out, &mut keep);
        scores = drill.scores;
        // However it ended, what was answered is under a signed head.
        let head = tasks.block_on(store.checkpoint(store::now(), Vec::new()));
        went.and(head.map_err(Into::into))?;
    }
    tasks.block_on(store.close());
    Ok(results(&arguments.book, &scores, format, style))
}

fn is_quit(said: &str) -> bool {
    matches!(said.trim().to_lowercase().as_str(), "quit" | "q")
}

fn note(scores: &mut Scores, answer: &Answer) {
    let score = scores.entry(answer.topic.clone()).or_default();
    if answer.right {
        score.right += 1;
    } else {
        score.wrong += 1;
    }
}

struct Drill<'a> {
    book: &'a Book,
    name: &'a str,
    version: u64,
    scores: Scores,
}

impl Drill<'_> {
    fn go(
        &mut self,
        count: u16,
        topics: &[Topic],
        out: &mut dyn Write,
        keep: &mut dyn FnMut(Append) -> Result<(), store::StoreError>,
    ) -> Result<()> {
        let mut input = std::io::stdin().lock();
        let questions = if count == 1 { "question" } else { "questions" };
        writeln!(out, "{count} {questions} on {}; Enter alone passes, `quit` stops", self.name)?;
        let mut right = 0;
        for number in 1..=count {
            let Some(question) = self.next(topics) else {
                writeln!(out, "the book has nothing to ask about on that")?;
                break;
            };
            writeln!(out, "\n{number}. {}", question.text)?;
            write!(out, "{} > ", question.hint)?;
            out.flush()?;
            let mut said = text_of(&mut input, out)?;
            while let Some(text) = said.as_deref()
                && !text.trim().is_empty()
                && !is_quit(text)
                && question.judge(text).is_none()
            {
                write!(out, "that is no answer here; {} > ", question.hint)?;
                out.flush()?;
                said = text_of(&mut input, out)?;
            }
            let Some(said) = said.filter(|said| !is_quit(said)) else { break };
            if said.trim().is_empty() {
                writeln!(out, "passed: {}", question.answer)?;
                continue;
            }
            let good = question.judge(&said) == Some(true);
            right += u16::from(good);
            let verdict = if good { "right" } else { "no" };
            writeln!(out, "{verdict}: {}", question.answer)?;
            if !good {
                if question.clauses.is_empty() {
                    writeln!(out, "  the book is silent on this; staff decide")?;
                }
                for clause in &question.clauses {
                    let gist = self.book.clause(clause).map_or("", |entry| entry.gist.as_str());
                    writeln!(out, "  {clause}: {gist}")?;
                }
            }
            self.keep(&question, good, keep)?;
            writeln!(out, "  {right} of {number} so far")?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// A question on a topic, the weak ones more often.
    fn next(&self, topics: &[Topic]) -> Option<Question> {
        let weight =
            |topic: &Topic| self.scores.get(&topic.key()).copied().unwrap_or_default().weight();
        for _ in 0..20 {
            let all: u32 = topics.iter().map(weight).sum();
            let mut at = Chance::System.below(all);
            let topic = topics.iter().find(|topic| {
                let weight = weight(topic);
                let here = at < weight;
                at = at.saturating_sub(weight);
                here
            })?;
            // Some cards make no question of the topic; others do.
            if let Some(question) =
                (0..100).find_map(|_| ask(*topic, self.book, &mut Chance::System))
            {
                return Some(question);
            }
        }
        None
    }

    fn keep(
        &mut self,
        question: &Question,
        right: bool,
        keep: &mut dyn FnMut(Append) -> Result<(), store::StoreError>,
    ) -> Result<()> {
        let answer = Answer {
            book: self.name.to_owned(),
            topic: question.topic.key(),
            clause: question.clauses.first().map(ToString::to_string),
            right,
        };
        note(&mut self.scores, &answer);
        let body = Body::Answer(answer);
        let payload = shoe::Digest::of(&[body.to_json().as_bytes()]);
        let key = format!("{STREAM} {}", self.version + 1);
        let command = CommandKey { actor: "dealer".into(), key, payload };
        let entries = vec![Entry { at: store::now(), body }];
        let part = StreamEntries { stream: STREAM.into(), expected: self.version, entries };
        keep(Append { command, parts: vec![part], with: Vec::new() })?;
        self.version += 1;
        Ok(())
    }
}

fn results(book: &str, scores: &Scores, format: Format, style: Style) -> String {
    if format.is_json() {
        let each = |(topic, Score { right, wrong }): (&String, &Score)| {
            let row = json!({ "book": book, "topic": topic, "right": right, "wrong": wrong });
            row
        };
        return pretty(&scores.iter().map(each).collect());
    }
    if scores.is_empty() {
        return "no answers yet\n".into();
    }
    let mut table = style.table();
    table.set_header(["topic", "right", "wrong", "about"].map(strong));
    for (topic, score) in scores {
        let known = Topic::value_variants().iter().find(|known| known.key() == *topic);
        let about = known.map_or(String::new(), |known| known.about());
        table.add_row([strong(topic), plain(score.right), plain(score.wrong), plain(about)]);
    }
    lines(&mut table, &[])
}
