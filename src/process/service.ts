import type { Logger } from 'pino';
import { removeErased } from '../accounts/remove-erased.ts';
import { patternOfKeys } from '../api-keys/api-key-secret.ts';
import { removeEndedKeys } from '../api-keys/remove-ended-keys.ts';
import { KeyUsage } from '../api-keys/usage/key-usage.ts';
import { OutageGrace, type OutageReport } from '../api-keys/verify/door-grace.ts';
import { knowImportedForms } from '../api-keys/verify/imported-keys.ts';
import { rememberedKeysOf } from '../api-keys/verify/verify-secret.ts';
import { type AssertionSettings, signAssertions } from '../assertions/sign-assertions.ts';
import { trustIssuer } from '../auth/trusted-issuer.ts';
import type { ReadReport } from '../auth/verification-keys.ts';
import type { BrowserClient, Config, IssuerConfig } from '../config/config.ts';
import type { ScopeOverOthers } from '../config/issuers.ts';
import { CurrentDb } from '../database/current-db.ts';
import { type Database, isPostgres, openDatabase } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { newerChanges, prepareSchema } from '../database/migrate.ts';
import { assertSecretVersions } from '../database/secret-versions.ts';
import { unconfirmedChangesOf } from '../database/unconfirmed-changes.ts';
import { leakReportsPath } from '../door/leak-reports/answer-leak-reports.ts';
import { readScannerKeys } from '../door/leak-reports/report-signature.ts';
import type { Edge } from '../gateway/dependencies.ts';
import { createGateway, createLimits } from '../gateway/gateway.ts';
import { fixedLimits } from '../graphql/use-document-limits.ts';
import { baseUrl } from '../http/base-url.ts';
import { createListener } from '../http/listener.ts';
import { Load } from '../http/load.ts';
import { mostOwners, RateCounts } from '../http/rate-limits/limiter.ts';
import { SharedCounts } from '../http/rate-limits/shared-counts.ts';
import { openServer } from '../http/server.ts';
import { noteRefusals } from '../http/short-answers.ts';
import { IdempotencyRecords } from '../idempotency/idempotency.ts';
import { describeError } from '../observability/log.ts';
import { startTelemetry } from '../observability/start-telemetry.ts';
import { readVersion } from '../observability/version.ts';
import type { Plans } from '../operations/context.ts';
import { readMessages } from '../pages/messages/read-messages.ts';
import { arePagesBuilt } from '../pages/page-files.ts';
import { createProviderLook } from '../pages/provider-look.ts';
import { accountQuotas } from '../quotas/account-quotas.ts';
import { keyQuotas } from '../quotas/key-quotas.ts';
import { QuotaLeases } from '../quotas/quota-leases.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import { Webhooks } from '../webhooks/sending/webhooks.ts';
import { greet } from './greeting.ts';
import { createProcessLogger } from './process-logger.ts';
import { createReadiness, type DatabaseFault, watchReadiness } from './readiness.ts';
import type { Stopped } from './signals.ts';
import { warnOfRisks } from './warn-of-risks.ts';

/** A running service. Disposal stops the service. */
export interface Service extends AsyncDisposable {
  /** The text to print for a ready service. */
  readonly greeting: string;
}

/**
 * Starts all parts: database, HTTP server, gateway, and the development identity provider if no other is configured.
 * @param stopped resolves when a signal tells the process to stop; the stop then has a time limit
 * @throws {ConfigError} if the service cannot start with this configuration
 */
export async function startService(given: Config, stopped: Stopped): Promise<Service> {
  const config: WithFiles = { ...given, ...(await filesOf(given)) };
  await using started = new AsyncDisposableStack();
  const { logger, output } = await createProcessLogger(config, started, stopped);
  warnOfConfig(config, logger);
  const telemetry = started.use(await startTelemetry(config, logger, output));
  const development = config.issuers.length > 0 ? undefined : import('../dev/development.ts');
  // The verification keys are read while the database opens.
  const configured = config.issuers.map((issuer) => trust(issuer, logger, started));
  const orm = await openMigrated(config, logger, started);
  const secrets = await prepareSecrets(config, orm);
  const background = await startBackground(config, orm, logger, secrets, started);
  const load = started.use(new Load(config.edge.maxInFlight, logger));
  const server = started.use(await openServer(config, logger));
  const { port } = server;
  const provider = await (await development)?.startDevelopment({ config, port, em: orm.em.fork(), secrets });
  const trusted = (provider ? [trust(provider.issuer, logger, started)] : configured) as AtLeastOne;
  telemetry.observe?.(trusted, orm, background);
  const publicUrl = config.publicUrl ?? baseUrl(config.host, port);
  const signing = provider?.assertions ?? assertionsOf(config);
  const gateway = createGateway({
    trusted,
    servers: [...config.servers, ...(provider ? [provider.server] : [])],
    publicUrl,
    em: orm.em,
    ...background,
    services: { ...background.services, assertions: signing && signAssertions(signing, publicUrl) },
    bodyLimit: config.http.body,
    answerTimeout: config.http.timeouts.answer,
    ...offered(config),
    pages: pagesOf(config, provider?.signIn, logger),
    edge: edgeOf(config, load, background),
    logger,
    logsAddress: config.logsAddress,
    ...telemetry,
  });
  const listener = createListener(gateway, config.http.body, reportFailure(logger), noteRefusals(logger));
  server.handOver(provider?.mount(listener) ?? listener);
  await Promise.all(trusted.map(({ firstRead }) => firstRead));
  const readiness = createReadiness(background.schemaState, trusted, background.doorGrace);
  server.health.readyBy(started.use(watchReadiness(readiness, logger)).ask);

  const greeting = greet({ config, port, version: readVersion(), terminal: process.stdout.isTTY });
  return Object.assign(started.move(), { greeting });
}

/** The parts for proxies, browsers and load. */
const edgeOf = (
  { edge }: Config,
  load: Load,
  { services, counts }: Awaited<ReturnType<typeof startBackground>>,
): Edge => ({ ...edge, load, ...createLimits(edge, services.importedKeys, counts) });

/** What signs assertions; undefined: nothing does. */
const assertionsOf = ({ assertions: { keys, audiences, seconds } }: Config): AssertionSettings | undefined =>
  keys && audiences && { keys, audiences, seconds };

/** Opens the database, and updates or checks its schema. */
async function openMigrated(
  { database, workers }: Config,
  logger: Logger,
  started: AsyncDisposableStack,
): Promise<Database> {
  const orm = started.use(await openDatabase(database, (message) => logger.warn(message)));
  // The supervisor of several workers has already warned.
  if (workers === 1) warnOfRisks(orm, logger);
  await prepareSchema(orm, database);
  return orm;
}

/** Warns of variables that are ignored, and of scopes that the configuration needs and nobody can have. */
function warnOfConfig({ ignored, issuers, servers, plansFile }: Config, logger: Logger): void {
  for (const variable of ignored)
    logger.warn({ variable }, 'variable ignored: Kubernetes set it to the address of a service');
  for (const { issuer } of issuers.filter(({ isForOneApplication }) => isForOneApplication))
    logger.warn(
      { issuer },
      'tokens of this issuer are accepted without an audience, whichever application they are for: its audience is "any"',
    );
  const needed: ScopeOverOthers[] = plansFile ? ['keys.verify', 'accounts.entitle'] : ['keys.verify'];
  const isGranted = (scope: ScopeOverOthers) =>
    issuers.some(({ grants }) => grants.includes(scope)) ||
    servers.some(({ scopes }) => scopes.includes(scope));
  for (const scope of issuers.length > 0 ? needed.filter((each) => !isGranted(each)) : [])
    logger.warn(
      { scope },
      'nobody can have this scope: give it to a server in SERVER_CREDENTIALS, or add it to the "grants" of an issuer in AUTH_ISSUERS',
    );
}

/** Reads the provider's plans. Only a service that has some loads what reads them. */
const plansOf = async ({ plansFile }: Config): Promise<Plans | undefined> =>
  plansFile === undefined ? undefined : (await import('../plans/plans-file.ts')).readPlans(plansFile);

/** Reads the files that the configuration names by their paths. */
const filesOf = async (config: Config) => ({
  plans: await plansOf(config),
  look: config.pages.shown.length > 0 ? await createProviderLook(config.pages) : undefined,
  messages: config.pages.shown.length > 0 ? readMessages(config.pages) : undefined,
});

/** The configuration, with the provider's plans, look and texts. */
type WithFiles = Config & Awaited<ReturnType<typeof filesOf>>;

/**
 * Makes the database check. The check asks whether a newer version has changed the schema, and whether the database
 * works. `fault` keeps the last answer about the schema.
 */
const watchSchema = (orm: Database, { database }: Config) => {
  const schema = {
    fault: undefined as string | undefined,
    check: async (): Promise<DatabaseFault | undefined> => {
      schema.fault = await newerChanges(orm, database);
      if (schema.fault !== undefined) return { fault: schema.fault, leaves: 'nothing' };
      const fault = await orm.check().catch((error) => {
        throw orm.em.getDriver().convertException(error);
      });
      if (fault !== undefined) return { fault, leaves: 'known keys' };
      return unconfirmedChangesOf(orm.em.getDriver()).areRecent ? unconfirmed : undefined;
    },
  };
  return schema;
};

const unconfirmed: DatabaseFault = {
  fault:
    'it has not confirmed a change within the last minute: is its disk full, or a standby of synchronous_standby_names gone?',
  leaves: 'all but changes',
};

/** The parts of the API that callers may use, with their limits. */
const offered = ({ documentCost, introspection, operators }: Config) => ({
  documents: { ...fixedLimits, cost: documentCost },
  introspection,
  operators,
});

/**
 * Prepares the endpoint for reports of leaked keys. The log shows the pattern of the API keys, because the operator
 * of a scanner needs it.
 */
function takeLeakReports(
  { leakReports, apiKeyPrefix }: Config,
  logger: Logger,
  started: AsyncDisposableStack,
) {
  if (!leakReports) return;
  const keys = started.use(
    readScannerKeys(leakReports.keys, reportReads(logger, 'the keys of leak reports')),
  );
  void keys.refresh();
  const { act } = leakReports;
  logger.info(
    { act, path: leakReportsPath, pattern: patternOfKeys(apiKeyPrefix) },
    'accepting reports of leaked keys',
  );
  return { act, keys };
}

/** The settings of the pages for a browser; undefined if the pages are not built or not wanted. */
function pagesOf(
  { pages, look, messages }: WithFiles,
  development: BrowserClient | undefined,
  logger: Logger,
) {
  if (pages.shown.length === 0) return;
  if (arePagesBuilt()) return { ...pages, look, messages, signIn: development ?? pages.signIn };
  logger.warn('the pages for browsers are missing: run npm run build');
}

/**
 * Starts the parts that work in the background, beside requests. A stop ends the last one first, so what would be lost
 * comes last: whatever another part waits for, counts are written and units go back. The counts that nodes share start
 * first, so they last until the last request.
 */
async function startBackground(
  config: WithFiles,
  orm: Database,
  logger: Logger,
  secrets: Secrets,
  started: AsyncDisposableStack,
) {
  const schemaState = watchSchema(orm, config);
  const db = new CurrentDb(orm.em, schemaState);
  const failedTo: FailedTo = (what) => (error) =>
    logger.warn({ error: describeError(error) }, `could not ${what}; will retry`);
  const quotaFailed = failedTo('return unused quota units or record an exhausted quota');
  // SQLite serves a single node.
  const counts = isPostgres(config.database) ? started.use(new SharedCounts(db)) : undefined;
  const importedKeys = started.use(knowImportedForms(db, failedTo('read the prefixes of imported API keys')));
  await importedKeys.run();
  const doorGrace =
    config.doorGrace > 0
      ? started.use(new OutageGrace(config.doorGrace, rememberedKeysOf(db), reportOutages(logger, config)))
      : undefined;
  const erasures = started.use(removeErased(db, failedTo("delete an erased account's data")));
  // Goes on with what was left when the process before it ended.
  void erasures.run();
  return {
    schemaState,
    counts,
    erasures,
    doorGrace,
    endedKeys: started.use(
      removeEndedKeys(db, config.endedApiKeysDays, failedTo('delete API keys that ended long ago')),
    ),
    webhooks: started.use(sendWebhooks(db, secrets, logger, config)),
    leakReports: takeLeakReports(config, logger, started),
    unknownPlans: config.plans && started.use(await countUnknownPlans(db, config.plans, logger, failedTo)),
    services: {
      settings: config,
      secrets,
      importedKeys,
      doorGrace,
      idempotency: started.use(new IdempotencyRecords(db, failedTo('delete expired idempotency records'))),
      keyRates: new RateCounts('key', counts, mostOwners),
      accountRates: new RateCounts('keys-of-account', counts, mostOwners),
      keyUsage: started.use(
        new KeyUsage(db, config.apiKeyUsageDays, failedTo('write or delete API key usage counts')),
      ),
      keyQuotas: started.use(new QuotaLeases(db, keyQuotas, quotaFailed)),
      accountQuotas: started.use(new QuotaLeases(db, accountQuotas, quotaFailed)),
    },
  };
}

/** Counts the accounts whose plan is not among the plans, beside requests. */
async function countUnknownPlans(db: Db, plans: Plans, logger: Logger, failedTo: FailedTo) {
  const { watchUnknown } = await import('../plans/unknown-plans.ts');
  const unknown = watchUnknown(
    db,
    plans,
    (accounts) =>
      logger.warn({ accounts }, 'accounts have a plan that is not in PLANS_FILE; they get the default plan'),
    failedTo('count accounts with unknown plans'),
  );
  void unknown.run();
  return unknown;
}

const sendWebhooks = (db: Db, { sealer }: Secrets, logger: Logger, config: Config) =>
  new Webhooks(db, sealer, { ...config.webhooks, isAdministered: config.operators }, logger, readVersion());

const reportFailure = (logger: Logger) => (error: unknown) =>
  logger.error({ error: describeError(error) }, 'a request failed');

/** Makes what logs that something could not be done, and will be tried again. */
type FailedTo = (what: string) => (error: unknown) => void;

/** Makes the server's secrets, and checks that they include each version that stored values refer to. */
async function prepareSecrets(config: Config, orm: Database): Promise<Secrets> {
  const secrets = createSecrets(config.secrets ?? (await developmentSecrets(config)));
  await assertSecretVersions(new Db(orm.em), secrets);
  return secrets;
}

const developmentSecrets = async (config: Config) =>
  (await import('../dev/development-secrets.ts')).developmentSecrets(config);

/** Trusts an issuer until the service stops, and starts to read its verification keys. */
const trust = (issuer: IssuerConfig, logger: Logger, started: AsyncDisposableStack) => {
  const report = reportReads(logger, "the issuer's verification keys", { issuer: issuer.issuer });
  const trusted = trustIssuer(issuer, report);
  started.use(trusted.keys);
  return { ...trusted, firstRead: trusted.keys.refresh() };
};

type Trusted = ReturnType<typeof trust>;
type AtLeastOne = [Trusted, ...Trusted[]];

/** Logs the beginning and the end of each outage of the database. */
const reportOutages = (logger: Logger, { doorGrace }: Config): OutageReport => ({
  began: (remembered, error) =>
    logger.warn(
      { remembered, seconds: doorGrace / 1000, error: describeError(error) },
      'the database is away: API keys that it found valid lately are still accepted',
    ),
  ended: (seconds, accepted) =>
    logger.warn({ seconds, accepted }, 'the database is back: it is asked about API keys again'),
});

/** Logs that keys can no longer be read, and that they can be again. */
const reportReads = (logger: Logger, keys: string, about: object = {}): ReadReport => ({
  failed: (error) =>
    logger.warn({ ...about, error: describeError(error) }, `could not read ${keys}; will retry`),
  recovered: () => logger.info(about, `reading ${keys} again`),
});
