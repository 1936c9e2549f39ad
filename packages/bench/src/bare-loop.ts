import { fieldsOf, itemsOf } from '@data-designer/core';
import { Pool } from 'undici';

/** Posts `requests` chat requests with plain undici, `inFlight` at a time, and parses each answer: the bare limit. */
export async function bareLoop(endpoint: string, requests: number, inFlight: number): Promise<void> {
  const { origin, pathname } = new URL(endpoint);
  const pool = new Pool(origin, { connections: inFlight, pipelining: 1 });
  let left = requests;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const body = JSON.stringify({
        model: 'canned',
        messages: [{ role: 'user', content: `Say something about row ${left}.` }],
      });
      const answer = await pool.request({
        path: `${pathname}/chat/completions`,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
        body,
      });
      const choice = fieldsOf(itemsOf(fieldsOf(await answer.body.json()).choices)[0]);
      if (!fieldsOf(choice.message).content) throw new Error('an answer without content');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  await pool.destroy();
}
