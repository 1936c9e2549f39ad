import type { Turn } from './chat/turn.ts';
import type { Draws } from './draws.ts';
import { drawFault, type Fault, faultOfModel, type FaultRates } from './fault.ts';

/**
 * The fault of one request: its model's, else one by rate. A rate is drawn anew each time a request is seen, so that a
 * retry may succeed; but endless tool calls are drawn once for a conversation, or they would end with the next turn.
 */
export function chooseFault(turn: Omit<Turn, 'fault'>, rates: FaultRates, timesSeen: number): Fault | undefined {
  const { model } = turn.request;
  const named = faultOfModel(model, timesSeen);
  if (named !== undefined || rates.size === 0) return named;
  const endless = rates.get('endless-tools') ?? 0;
  const hasTools = (turn.request.tools ?? []).length > 0;
  if (hasTools && turn.shared.of('fault').float() < endless) return 'endless-tools';
  return chooseRequestFault(model, rates, { draws: turn.draws, timesSeen });
}

/** The fault of a request that is no conversation: its model's, else one by rate. */
export function chooseRequestFault(
  model: string,
  rates: FaultRates,
  { draws, timesSeen }: { readonly draws: Draws; readonly timesSeen: number },
): Fault | undefined {
  return faultOfModel(model, timesSeen) ?? drawFault(rates, draws.of('fault', timesSeen));
}
