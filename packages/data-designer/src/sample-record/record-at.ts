/** The record at a position of a stream that is read as far as that; undefined where it ends before. */
export async function recordAt(records: AsyncIterable<object>, index: number): Promise<object | undefined> {
  let position = 0;
  for await (const record of records) if (position++ === index) return record;
  return undefined;
}
