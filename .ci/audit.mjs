// Fails where a package has a known vulnerability of high or critical severity. Not every registry answers audits:
// one that does not is told apart from one that has found nothing.
import { spawnSync } from 'node:child_process';

const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
const report = JSON.parse(stdout);

if (report.auditReportVersion === undefined) {
  const reason = report.statusCode ?? report.error?.code ?? 'no answer';
  console.log(`The registry does not answer audits (${reason}): nothing is known of vulnerabilities.`);
} else {
  const found = Object.values(report.vulnerabilities);
  const severe = found.filter(({ severity }) => ['high', 'critical'].includes(severity));
  for (const { name, severity } of severe) console.error(`${name}: ${severity}`);
  console.log(
    `${severe.length} packages with severe vulnerabilities, ${found.length - severe.length} with others`,
  );
  process.exitCode = severe.length > 0 ? 1 : 0;
}
