export { encodeBatch } from './encode/encode-batch.ts';
export { arrowStreamBytes, stageArrow } from './formats/arrow/write-arrow.ts';
export { stageParquet } from './formats/parquet/write-parquet.ts';
