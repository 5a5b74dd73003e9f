import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import type { Plans } from '../operations/context.ts';
import { grantOf, planNamePattern, planSchema } from './plan.ts';

const name = z
  .string()
  .regex(new RegExp(planNamePattern), 'Must be 1 to 100 visible ASCII characters, with spaces between them.');

const fileSchema = z
  .strictObject({ default: name, plans: z.record(name, planSchema) })
  .refine((file) => Object.hasOwn(file.plans, file.default), {
    path: ['default'],
    message: 'Must be the name of a plan in this file.',
  });

const refuse = (path: string, faults: readonly string[]): never => {
  throw new ConfigError(
    faults.map((fault) => `PLANS_FILE names ${path}, ${fault}. Example: PLANS_FILE=/etc/keyward/plans.yaml`),
  );
};

/** Describes a fault by its plan and member: `where plan "pro", rate_limit.limit: Must be at least 1`. */
function describe({ path: [first, plan, ...member], message, code, ...issue }: z.core.$ZodIssue): string {
  const place =
    first === 'plans' && plan !== undefined ? [`plan "${String(plan)}"`] : [String(first ?? 'all of it')];
  if (member.length > 0) place.push(member.join('.'));
  const unknown = code === 'unrecognized_keys' && 'keys' in issue ? `: ${issue.keys.join(', ')}` : '';
  return `where ${place.join(', ')}: ${message.replace(/\.$/, '')}${unknown}`;
}

/** Reads the text of the file, or says why it cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return refuse(path, [`which cannot be read (${(error as NodeJS.ErrnoException).code})`]);
  }
}

/** Parses YAML, of which JSON is a part. A name that stands twice is a fault. */
function parse(path: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [fault] = document.errors;
  if (fault) return refuse(path, [`which is neither YAML nor JSON: ${fault.message}`]);
  return document.toJS();
}

/**
 * Reads the provider's plans.
 * @param path the file of PLANS_FILE; undefined: there are no plans, and the result is undefined as well
 * @throws {ConfigError} that names the file, and of each fault the plan and the member
 */
export function readPlans(path: string | undefined): Plans | undefined {
  if (path === undefined) return undefined;
  const { data, error } = fileSchema.safeParse(parse(path, readText(path)));
  if (!data)
    return refuse(
      path,
      error.issues.map((issue) => describe(issue)),
    );
  const grants = Object.entries(data.plans).map(([plan, terms]) => [plan, grantOf(terms)] as const);
  return { usual: data.default, grants: new Map(grants) };
}
