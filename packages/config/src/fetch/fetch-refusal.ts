/** Why a document is not fetched; the message is a reason, to be told with the address that was given. */
export class FetchRefusal extends Error {
  override readonly name = 'FetchRefusal';
}
