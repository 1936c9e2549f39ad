/** Why a file is no recording of its format, in a few words; what throws it names no file. */
export class RolloutFault extends Error {
  override readonly name = 'RolloutFault';
}
