/** Checks a signature of the house, with the browser's own code or, where it has none, with ours. */

/** Whether the key signed the message. */
export async function isSignature(
  key: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
): Promise<boolean> {
  if (globalThis.crypto?.subtle) {
    try {
      const known = await crypto.subtle.importKey('raw', key as BufferSource, 'Ed25519', false, [
        'verify',
      ])
      return await crypto.subtle.verify(
        'Ed25519',
        known,
        signature as BufferSource,
        message as BufferSource,
      )
    } catch {
      // A browser that does not know Ed25519, or a key that is none: ours tells which.
    }
  }
  const { isSignedBy } = await import('./ed25519')
  return isSignedBy(key, signature, message)
}
