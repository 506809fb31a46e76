/** Packages with native code, which the server needs beside what is built. */
export const UNBUNDLED_PACKAGES = ['@node-rs/argon2'];
