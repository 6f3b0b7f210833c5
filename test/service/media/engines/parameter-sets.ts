/** The parameter sets of an MP4 file's only video track, found by the name of their box. */
export function parameterSets(file: Buffer): readonly Uint8Array[] {
  const at = file.indexOf('avcC') + 4;
  const sequenceBytes = file.readUInt16BE(at + 6);
  const picture = at + 8 + sequenceBytes;
  const pictureBytes = file.readUInt16BE(picture + 1);
  return [
    file.subarray(at + 8, at + 8 + sequenceBytes),
    file.subarray(picture + 3, picture + 3 + pictureBytes),
  ];
}
