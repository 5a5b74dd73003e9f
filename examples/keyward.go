// Calls Keyward's REST API with Go's standard library. It creates an API key, verifies it, deactivates it and verifies
// it again. Then it reads the private key's status, changes the automation settings, and shows two errors.
//
//	KEYWARD_TOKEN=… KEYWARD_SERVER_SECRET=… go run examples/keyward.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

var client = &http.Client{Timeout: 10 * time.Second}

// Refused is an error response of Keyward's.
type Refused struct {
	Status int
	Detail json.RawMessage
}

func (refused *Refused) Error() string {
	var sentence string
	if json.Unmarshal(refused.Detail, &sentence) == nil {
		return fmt.Sprintf("%d %s", refused.Status, sentence)
	}
	var faults []struct {
		Loc []string
		Msg string
	}
	_ = json.Unmarshal(refused.Detail, &faults)
	sentences := make([]string, len(faults))
	for number, fault := range faults {
		sentences[number] = strings.Join(fault.Loc, ".") + ": " + fault.Msg
	}
	return fmt.Sprintf("%d %s", refused.Status, strings.Join(sentences, " "))
}

// call makes one call, and decodes the response's body into answer unless answer is nil.
func call(token, method, path string, body, answer any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, variable("KEYWARD_URL", "http://127.0.0.1:4000")+"/api/v1"+path, &sent)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		refused := &Refused{Status: response.StatusCode}
		if err := json.NewDecoder(response.Body).Decode(refused); err != nil {
			return err
		}
		return refused
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// variable reads an environment variable. One without a default must be set.
func variable(name, otherwise string) string {
	value := os.Getenv(name)
	if value == "" {
		value = otherwise
	}
	if value == "" {
		log.Fatalf("%s is missing: an access token of your identity provider", name)
	}
	return value
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	person, server := variable("KEYWARD_TOKEN", ""), variable("KEYWARD_SERVER_SECRET", "")

	// What a provider's server does with a key that a client has sent.
	verify := func(key string) {
		var answer struct {
			Valid  bool
			Reason string
		}
		must(call(server, "POST", "/keys/verify", map[string]any{"key": key}, &answer))
		if answer.Valid {
			fmt.Println("The key is valid")
		} else {
			fmt.Println("The key is not valid:", answer.Reason)
		}
	}

	// The secret is in created.Key and nowhere else. It is not printed: keep it like a password.
	var created struct {
		ID        int
		KeyPrefix string `json:"key_prefix"`
		Key       string
	}
	must(call(person, "POST", "/auth/keys", map[string]any{"name": "Example with Go"}, &created))
	fmt.Printf("Made the API key %d, %s…\n", created.ID, created.KeyPrefix)
	verify(created.Key)
	var deactivated struct {
		ID            int
		DeactivatedAt string `json:"deactivated_at"`
	}
	must(call(person, "DELETE", fmt.Sprintf("/auth/keys/%d", created.ID), nil, &deactivated))
	fmt.Printf("Deactivated the API key %d at %s\n", deactivated.ID, deactivated.DeactivatedAt)
	verify(created.Key)

	var privateKey struct {
		HasKey    bool   `json:"has_key"`
		CreatedAt string `json:"created_at"`
	}
	must(call(person, "GET", "/auth/private-key", nil, &privateKey))
	if privateKey.HasKey {
		fmt.Println("A private key since", privateKey.CreatedAt)
	} else {
		fmt.Println("No private key")
	}

	// A pointer, because null means neither on nor off.
	var settings struct {
		IsEnabled       *bool `json:"is_enabled"`
		SessionDuration *int  `json:"session_duration"`
	}
	wanted := map[string]any{"is_enabled": true, "session_duration": 3600}
	must(call(person, "PUT", "/automation/settings", wanted, &settings))
	state := map[bool]string{true: "on", false: "off"}[*settings.IsEnabled]
	fmt.Printf("Automation is %s, in sessions of %d s\n", state, *settings.SessionDuration)

	fmt.Println("DELETE /auth/keys/2147483647:", call(person, "DELETE", "/auth/keys/2147483647", nil, nil))
	tooShort := map[string]any{"session_duration": 1}
	fmt.Println("PUT /automation/settings:", call(person, "PUT", "/automation/settings", tooShort, nil))
}
