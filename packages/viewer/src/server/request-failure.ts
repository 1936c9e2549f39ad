import { DataDesignerError, knownNames } from '@data-designer/core';
import type { ApiFailure } from '../api/api.ts';

/** A request that this server cannot answer, with the status of HTTP. */
export class RequestFailure extends Error {
  readonly status: number;
  readonly code: ApiFailure['code'];

  constructor(status: number, code: ApiFailure['code'], message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The failure of a request that names no column of the dataset. */
export function unknownColumn(name: string, known: Iterable<string>): RequestFailure {
  const message = `The dataset has no column '${name}'. ${knownNames(name, [...known])}`;
  return new RequestFailure(400, 'view/bad-request', message);
}

/** A failure of any kind as the page receives it. */
export function failureOf(thrown: unknown): { readonly status: number; readonly failure: ApiFailure } {
  if (thrown instanceof RequestFailure) {
    const { status, code, message } = thrown;
    return { status, failure: { code, message } };
  }
  const { code, message } = DataDesignerError.fromUnknown(thrown);
  return { status: code === 'dataset/missing' ? 404 : 500, failure: { code, message } };
}
