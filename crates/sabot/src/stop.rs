//! Signals that end the program while a log is open: the log gets a signed head first.

use std::io::IsTerminal;
use std::sync::Arc;

use store::Store;
use tokio::runtime::Handle;

/// What is said where a stop could not sign a head.
pub(crate) const NO_HEAD: &str =
    "what was told is in the log, but this stop put it under no signed head";

/// Has it done when a signal asks the program to end: those that the system sends by itself, and
/// the one that is sent to make a program stop at once.
pub(crate) fn when_told(act: impl Fn() + Send + Sync + 'static) -> Result<(), ctrlc::Error> {
    let act = Arc::new(act);
    let quit = act.clone();
    ctrlc::set_handler(move || act())?;
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGQUIT, iterator::Signals};
        let mut signals = Signals::new([SIGQUIT]).map_err(ctrlc::Error::System)?;
        std::thread::spawn(move || signals.forever().for_each(|_| quit()));
    }
    #[cfg(not(unix))]
    drop(quit);
    Ok(())
}

/// Lets a signal that ends the program put the log under a signed head first.
pub(crate) fn stop_in_order(store: &Store, tasks: Handle) {
    let store = store.clone();
    // Without a handler the next start finds everything that was told.
    let _ = when_told(move || {
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

/// What is told of a fault behind which a log was closed: the fault, and where no head could be
/// signed, that too.
pub(crate) fn after_closing<T>(fault: anyhow::Error, closed: anyhow::Result<T>) -> anyhow::Error {
    match closed {
        Ok(_) => fault,
        Err(why) if format!("{why:#}").contains(NO_HEAD) => anyhow::anyhow!("{fault:#}; {why:#}"),
        Err(why) => anyhow::anyhow!("{fault:#}; {NO_HEAD}: {why:#}"),
    }
}

/// A line that was being typed leaves a terminal that shows no keys.
fn put_terminal_right() {
    if cfg!(unix) && std::io::stdin().is_terminal() {
        let _ = std::process::Command::new("stty").arg("sane").status();
    }
}
