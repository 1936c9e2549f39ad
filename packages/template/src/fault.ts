import { DataDesignerError } from '@data-designer/core';

/** The kinds of render errors that callers treat differently. */
export type FaultKind = 'undefined' | 'type' | 'zero-division' | 'security';

/** Ends a render; `failureOf` turns it into a `template/*` failure. */
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

/** Throws `template/limit`. */
export function limitFault(what: string, limit: number, remedy?: string): never {
  throw new DataDesignerError('template/limit', { what, limit, ...(remedy !== undefined && { remedy }) });
}

/** Ends the render because the template uses a construct that the sandbox forbids. */
export function securityFault(reason: string): never {
  throw new Fault('security', reason);
}
