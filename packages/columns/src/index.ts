export { columnTypes } from './column-types.ts';
