export { addReview, type GivenReview } from './reviews/add-review.ts';
export { DatasetReviews, readReviews, type ReviewUse } from './reviews/dataset-reviews.ts';
export { ReviewLog, rowHash } from './reviews/review-log.ts';
export { type ReviewExport, ReviewedExport } from './reviews/reviewed-export.ts';
