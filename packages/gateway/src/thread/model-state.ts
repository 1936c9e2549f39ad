/** How a model stands at a moment: plain data, told by the I/O thread. */
export interface ModelState {
  /** The resource of the plan: a model at a provider, and what it is asked for. */
  readonly resource: string;
  /** Requests under way. */
  readonly inFlight: number;
  /** How many of them there may be, as far as is known now. */
  readonly limit: number;
  /** Requests that wait for a place. */
  readonly waiting: number;
  /** For so many ms nothing is sent, as the endpoint refuses; 0 where that is not so. */
  readonly pausedMs: number;
}

/** The name by which users know the model of a resource: provider and model. */
export function modelOf(resource: string): string {
  return resource.replace(/^\w+\//, '');
}
