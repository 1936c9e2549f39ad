import { expect, test } from 'vitest';
import { MarkedStates } from './marked-states.ts';

test('undo returns to the last mark, which stays; release keeps the state and forgets the mark', () => {
  const world = new MarkedStates('begun');
  world.mark();
  world.state = 'outer';
  world.mark();
  world.state = 'inner';
  world.undo();
  expect(world.state).toBe('outer');
  world.state = 'again';
  world.undo();
  expect(world.state).toBe('outer');
  world.state = 'kept';
  world.release();
  expect(world.state).toBe('kept');
  world.undo();
  expect(world.state).toBe('begun');
});

test('a state that is undefined can be marked', () => {
  const world = new MarkedStates<number | undefined>(undefined);
  world.mark();
  world.state = 1;
  world.undo();
  expect(world.state).toBeUndefined();
});
