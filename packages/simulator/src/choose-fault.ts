import type { Turn } from './chat/turn.ts';
import { drawFault, faultOfModel, type Fault, type FaultRates } from './fault.ts';

/**
 * The fault of one request: its model's, else one by rate. A rate is drawn anew each time a request is seen, so that a
 * retry may succeed; but endless tool calls are drawn once for a conversation, or they would end with the next turn.
 */
export function chooseFault(turn: Omit<Turn, 'fault'>, rates: FaultRates, timesSeen: number): Fault | undefined {
  const named = faultOfModel(turn.request.model, timesSeen);
  if (named !== undefined || rates.size === 0) return named;
  const endless = rates.get('endless-tools') ?? 0;
  const hasTools = (turn.request.tools ?? []).length > 0;
  if (hasTools && turn.shared.of('fault').float() < endless) return 'endless-tools';
  return drawFault(rates, turn.draws.of('fault', timesSeen));
}
