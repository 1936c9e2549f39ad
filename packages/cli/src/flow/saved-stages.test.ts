import { expect, test } from 'vitest';
import { SavedStages } from './saved-stages.ts';

const words = ['create', 'flow.yaml', '--max-cost', '<more>'];

test('a workflow that ended early tells the rows of each stage and the command that continues it', () => {
  const saved = new SavedStages();
  expect(saved.continuation(words, 'qa')).toBe('');
  saved.count({
    type: 'workflow-start',
    path: '/runs/qa',
    stages: [{ stage: 'topics' }, { stage: 'answers' }],
  } as never);
  const stages = 'Saved rows of each stage: topics: 0 of 30 rows; answers: not begun.';
  saved.count({ type: 'stage-start', stage: 'topics', rows: 30 } as never);
  expect(saved.continuation(words, 'qa')).toBe(
    `${stages} Continue with: npx data-designer create flow.yaml --max-cost '<more>' --resume always`,
  );
  saved.count({ type: 'stage-event', stage: 'topics', event: { type: 'row-group-end', rows: 14 } } as never);
  expect(saved.hint(words, 'other')).toBe(
    `Interrupted. ${stages.replace('0 of', '14 of')} Continue with: npx data-designer create flow.yaml --max-cost '<more>' -d qa --resume always\n`,
  );
});
