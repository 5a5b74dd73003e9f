import { environmentSchema } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load-config.ts';

/** Stands in each value, and must stand in no message. */
export const canary = 'c4n4ry';
/** The names of all variables. */
export const variables = Object.keys(environmentSchema.shape);

/** All that an operator is told of an environment; nothing where there is no fault. */
export const told = (environment: Record<string, string>): string => {
  try {
    loadConfig(environment);
    return '';
  } catch (error) {
    return `${error}`;
  }
};

/** Values that get past the first check of some variable, each with the canary in it. */
export const shapes = [
  ...['https://%', 'https://x:%@y', 'http://%.example', 'postgres://u:%@', 'sqlite', '%'],
  ...['1:%', '1:%,1:%', '1:% %', '300/%', '%/60', '1%', 'a=%=b', '=%', '%,*', '10.0.0.0/%', 'RS256,%'],
].map((shape) => shape.replaceAll('%', canary));
