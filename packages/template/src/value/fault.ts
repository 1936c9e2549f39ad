/** What went wrong while rendering, as far as the caller treats it differently. */
export type FaultKind = 'undefined' | 'type' | 'zero-division' | 'security';

/** Thrown by the operations of templates; becomes a `template/*` failure at the edge of a render. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly kind: FaultKind;

  constructor(kind: FaultKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** Ends the render with an ordinary error: a wrong type, a bad value. */
export function typeFault(reason: string): never {
  throw new Fault('type', reason);
}

/** Ends the render because a template reached for what it may not have. */
export function securityFault(reason: string): never {
  throw new Fault('security', reason);
}
