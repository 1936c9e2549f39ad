/** Why something is not fetched; the message is a reason, to be told with the address that was given. */
export class FetchRefusal extends Error {
  override readonly name = 'FetchRefusal';
  /** Whether asking again may go well: a fault of the connection, not of what was asked. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: ErrorOptions & { readonly mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
