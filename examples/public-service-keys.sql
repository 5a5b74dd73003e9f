-- API keys of the public service, a JSON line each, for npm run keys:import. Names of tables and columns may differ.
select json_build_object(
  'issuer', 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_example',
  'subject', users.cognito_user_id,
  'name', nullif(trim(api_keys.name), ''),
  'key_prefix', api_keys.key_prefix,
  'created_at', to_char(api_keys.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'is_active', api_keys.is_active,
  'sha256', api_keys.key_hash
) as line
from api_keys
join users on users.id = api_keys.user_id
order by api_keys.id;
