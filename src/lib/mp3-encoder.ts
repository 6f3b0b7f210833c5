/**
 * The encoder of mp3, apart: by this name alone the build leaves the library's other encoders out,
 * and keeps what is a hundred kilobytes out of what every start of the embedded service reads.
 */
export { createMp3Encoder } from 'wasm-media-encoders';
