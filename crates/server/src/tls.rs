//! The certificate of the server and its key.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Which of the two files cannot be used, by its key in the set-up, and why.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) key: &'static str,
    pub(crate) why: String,
}

/// Loads a certificate and its key, which must belong together.
///
/// # Errors
///
/// With the file that cannot be used, and why.
pub(crate) fn load(certificate: &Path, key: &Path) -> Result<ServerConfig, Fault> {
    let fault = |path: &Path, why: &dyn std::fmt::Display| {
        let key = if path == key { "certificate_key" } else { "certificate" };
        Fault { key, why: format!("{}: {why}", path.display()) }
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|why| fault(certificate, &why))?;
    if chain.is_empty() {
        return Err(fault(certificate, &"there is no certificate in it"));
    }
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|why| fault(key, &why))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|why| fault(certificate, &why))?;
    // The socket needs HTTP/1.1 in any case, and one protocol is enough for the rest.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
