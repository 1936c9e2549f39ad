import { bernoulliMixture } from './samplers/bernoulli-mixture/bernoulli-mixture.ts';
import { bernoulli } from './samplers/bernoulli/bernoulli.ts';
import { binomial } from './samplers/binomial/binomial.ts';
import { category } from './samplers/category/category.ts';
import { datetime } from './samplers/datetime/datetime.ts';
import { gaussian } from './samplers/gaussian/gaussian.ts';
import { personFromFaker } from './samplers/person-from-faker/person-from-faker.ts';
import { person } from './samplers/person/person.ts';
import { poisson } from './samplers/poisson/poisson.ts';
import { scipy } from './samplers/scipy/scipy.ts';
import { subcategory } from './samplers/subcategory/subcategory.ts';
import { timedelta } from './samplers/timedelta/timedelta.ts';
import { uniform } from './samplers/uniform/uniform.ts';
import { uuid } from './samplers/uuid/uuid.ts';

/** The samplers that a `sampler` column may use: one line each. */
export const samplers = [
  bernoulli,
  bernoulliMixture,
  binomial,
  category,
  datetime,
  gaussian,
  person,
  personFromFaker,
  poisson,
  scipy,
  subcategory,
  timedelta,
  uniform,
  uuid,
] as const;
