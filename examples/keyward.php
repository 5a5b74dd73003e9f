<?php
// Calls Keyward's REST API with PHP's curl. It creates an API key, verifies it, deactivates it and verifies it again.
// Then it reads the private key's status, changes the automation settings, and shows two errors.
//
//   KEYWARD_TOKEN=… KEYWARD_SERVER_SECRET=… php examples/keyward.php

declare(strict_types=1);

/** Reads an environment variable. One without a default must be set. */
function variable(string $name, string $otherwise = ''): string
{
    $value = getenv($name) ?: $otherwise;
    if ($value === '') {
        fwrite(STDERR, "$name is missing: an access token of your identity provider\n");
        exit(1);
    }
    return $value;
}

$url = variable('KEYWARD_URL', 'http://127.0.0.1:4000');
$person = variable('KEYWARD_TOKEN');
$server = variable('KEYWARD_SERVER_SECRET');

/** An error response of Keyward's. */
class Refused extends Exception
{
    public function __construct(int $status, string|array $detail)
    {
        $sentences = is_string($detail) ? $detail : implode(' ', array_map(
            fn (array $fault) => implode('.', $fault['loc']) . ': ' . $fault['msg'],
            $detail,
        ));
        parent::__construct("$status $sentences", $status);
    }
}

/** Makes one call and returns the response's body. */
function call(string $token, string $method, string $path, ?array $body = null): array
{
    global $url;
    $headers = ["Authorization: Bearer $token"];
    $request = curl_init("$url/api/v1$path");
    if ($body !== null) {
        $headers[] = 'Content-Type: application/json';
        curl_setopt($request, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
    }
    curl_setopt_array($request, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
    ]);
    $text = curl_exec($request);
    if ($text === false) {
        throw new Exception(curl_error($request));
    }
    $answer = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
    return $status < 400 ? $answer : throw new Refused($status, $answer['detail']);
}

/** What a provider's server does with a key that a client has sent. */
function verify(string $token, string $key): void
{
    ['valid' => $valid, 'reason' => $reason] = call($token, 'POST', '/keys/verify', ['key' => $key]);
    echo $valid ? "The key is valid\n" : "The key is not valid: $reason\n";
}

// The secret is in $created['key'] and nowhere else. It is not printed: keep it like a password.
$created = call($person, 'POST', '/auth/keys', ['name' => 'Example with PHP']);
echo "Made the API key {$created['id']}, {$created['key_prefix']}…\n";
verify($server, $created['key']);
$deactivated = call($person, 'DELETE', "/auth/keys/{$created['id']}");
echo "Deactivated the API key {$deactivated['id']} at {$deactivated['deactivated_at']}\n";
verify($server, $created['key']);

$privateKey = call($person, 'GET', '/auth/private-key');
echo $privateKey['has_key'] ? "A private key since {$privateKey['created_at']}\n" : "No private key\n";

$settings = call($person, 'PUT', '/automation/settings', ['is_enabled' => true, 'session_duration' => 3600]);
$state = $settings['is_enabled'] ? 'on' : 'off';
echo "Automation is $state, in sessions of {$settings['session_duration']} s\n";

foreach (
    [
        ['DELETE', '/auth/keys/2147483647', null],
        ['PUT', '/automation/settings', ['session_duration' => 1]],
    ] as [$method, $path, $body]
) {
    try {
        call($person, $method, $path, $body);
    } catch (Refused $refusal) {
        echo "$method $path: {$refusal->getMessage()}\n";
    }
}
