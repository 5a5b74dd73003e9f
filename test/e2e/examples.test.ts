import { describeExamples, sentences, useExamples } from '../support/example-suite.ts';
import { canRun } from '../support/programs.ts';

const curlPrints = `== A new API key is verified
{"valid":true,"reason":null,"key_id":…,"user_id":1,"owner_kind":"person","organization_id":null,"expires_at":null,"name":"Example with curl",…}
200
== It is deactivated
{"id":…,"key_prefix":"sk-…","name":"Example with curl",…"is_active":false,…"deactivated_at":"…Z","previous_works_until":null,"last_used_at":…}
200
== It is verified again
{"valid":false,"reason":"inactive","key_id":…,"user_id":1,"owner_kind":"person","organization_id":null,"expires_at":null,"name":"Example with curl",…}
200
== Is there a private key?
{"has_key":true,"created_at":"…Z","updated_at":"…Z"}
200
== Automation on, in sessions of an hour
{"is_enabled":true,"session_duration":3600,"user_id":1,"created_at":"…Z","updated_at":"…Z"}
200
== A key that is not there
{"detail":"API key not found"}
404
== A session that is too short
{"detail":[{"loc":["body","session_duration"],"msg":"Must be at least 60 seconds.","type":"greater_than_equal"}]}
422
`;

describeExamples(useExamples().run, [
  ['sh', 'sh examples/keyward.sh', curlPrints, canRun('curl', 'its example is not run')],
  ['Python', 'python3 examples/manage_keys.py', sentences, canRun('python3', 'its example is not run')],
  ['Go', 'go run examples/keyward.go', sentences, canRun('go', 'its example is not run', ['version'])],
  ['PHP', 'php examples/keyward.php', sentences, canRun('php', 'its example is not run', ['--ri', 'curl'])],
]);
