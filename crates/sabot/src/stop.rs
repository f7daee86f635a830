//! Signals that end the program while a log is open: the log gets a signed head first.

use std::io::IsTerminal;

use store::Store;
use tokio::runtime::Handle;

/// What is said where a stop could not sign a head.
pub(crate) const NO_HEAD: &str =
    "what was told is in the log, but this stop put it under no signed head";

/// Lets a signal that ends the program put the log under a signed head first.
pub(crate) fn stop_in_order(store: &Store, tasks: Handle) {
    let store = store.clone();
    // Without a handler the next start finds everything that was told.
    let _ = ctrlc::set_handler(move || {
        tasks.block_on(async {
            if let Err(why) = store.checkpoint(store::now(), Vec::new()).await {
                eprintln!("sabot: {NO_HEAD}: {why}");
            }
            store.close().await;
        });
        put_terminal_right();
        std::process::exit(130);
    });
}

/// A line that was being typed leaves a terminal that shows no keys.
fn put_terminal_right() {
    if cfg!(unix) && std::io::stdin().is_terminal() {
        let _ = std::process::Command::new("stty").arg("sane").status();
    }
}
