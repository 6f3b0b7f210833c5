/** Imports the MP3 encoder by its own name, so that the build omits all others. */
export { createMp3Encoder } from 'wasm-media-encoders';
