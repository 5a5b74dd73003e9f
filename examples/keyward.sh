#!/bin/sh
# Calls Keyward's REST API with curl. It creates an API key, verifies it, deactivates it and verifies it again. Then it
# reads the private key's status, changes the automation settings, and shows two errors.
#
#   KEYWARD_TOKEN=… KEYWARD_SERVER_SECRET=… sh examples/keyward.sh
set -eu
: "${KEYWARD_TOKEN:?is missing: the access token of a person}"
: "${KEYWARD_SERVER_SECRET:?is missing: of a server with the scope keys.verify}"
api=${KEYWARD_URL:-http://127.0.0.1:4000}/api/v1

# call METHOD PATH [JSON]: prints the body and, in a line of its own, the status.
call() {
  curl --silent --show-error --max-time 10 --request "$1" "$api$2" \
    --header "Authorization: Bearer ${token:-$KEYWARD_TOKEN}" \
    ${3+--header 'Content-Type: application/json' --data "$3"} \
    --write-out '\n%{http_code}\n'
}

# What a provider's server does with a key that a client has sent.
verify() {
  token=$KEYWARD_SERVER_SECRET call POST /keys/verify "{\"key\": \"$1\"}"
}

# The secret is in the answer and nowhere else. It is not printed: keep it like a password.
created=$(call POST /auth/keys '{"name": "Example with curl"}')
id=$(printf '%s' "$created" | sed -n 's/^{"id":\([0-9]*\),.*/\1/p')
key=$(printf '%s' "$created" | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')

echo '== A new API key is verified'
verify "$key"

echo '== It is deactivated'
call DELETE "/auth/keys/$id"

echo '== It is verified again'
verify "$key"

echo '== Is there a private key?'
call GET /auth/private-key

echo '== Automation on, in sessions of an hour'
call PUT /automation/settings '{"is_enabled": true, "session_duration": 3600}'

echo '== A key that is not there'
call DELETE /auth/keys/2147483647

echo '== A session that is too short'
call PUT /automation/settings '{"session_duration": 1}'
