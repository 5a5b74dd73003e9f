// A provider's server that asks Keyward about the API key of each request, with Go's standard library. Its documents
// need a permission.
//
//	KEYWARD_SERVER_SECRET=… PORT=8080 go run examples/verify-keys.go
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

var (
	url         = variable("KEYWARD_URL", "http://127.0.0.1:4000")
	serverSecret = os.Getenv("KEYWARD_SERVER_SECRET")
	client      = &http.Client{Timeout: 5 * time.Second}
)

// The status for each reason. All other reasons, also new ones, get 403.
var statuses = map[string]int{
	"not_found": 401, "inactive": 401, "expired": 401, "rotated": 401, "paused": 401,
	"rate_limited": 429, "account_rate_limited": 429, "quota_exceeded": 429, "account_quota_exceeded": 429,
}

type verification struct {
	Valid  bool
	Reason string
	UserID int `json:"user_id"`
}

// verify asks whether a request may pass. Without a clear answer, it returns an error, and the request may not pass.
func verify(request *http.Request, permissions []string) (answer verification, err error) {
	scheme, key, _ := strings.Cut(request.Header.Get("Authorization"), " ")
	// No key is that long.
	if !strings.EqualFold(scheme, "Bearer") || len(key) > 1000 {
		key = ""
	}
	address, _, _ := net.SplitHostPort(request.RemoteAddr)
	question, err := json.Marshal(map[string]any{
		"key": key, "permissions": permissions, "address": address,
	})
	if err != nil {
		return answer, err
	}
	asked, err := http.NewRequest("POST", url+"/api/v1/keys/verify", bytes.NewReader(question))
	if err != nil {
		return answer, err
	}
	asked.Header.Set("Authorization", "Bearer "+serverSecret)
	asked.Header.Set("Content-Type", "application/json")
	response, err := client.Do(asked)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return answer, fmt.Errorf("Keyward answers %d", response.StatusCode)
	}
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}

func serve(writer http.ResponseWriter, request *http.Request) {
	permissions := []string{}
	if request.URL.Path == "/documents" {
		permissions = append(permissions, "documents.read")
	}
	send := func(status int, body map[string]any) {
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(status)
		_ = json.NewEncoder(writer).Encode(body)
	}
	answer, err := verify(request, permissions)
	if err != nil {
		log.Print(err)
		send(http.StatusServiceUnavailable, map[string]any{"reason": "unknown"})
	} else if answer.Valid {
		send(http.StatusOK, map[string]any{"user_id": answer.UserID})
	} else if status, known := statuses[answer.Reason]; known {
		send(status, map[string]any{"reason": answer.Reason})
	} else {
		send(http.StatusForbidden, map[string]any{"reason": answer.Reason})
	}
}

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	if serverSecret == "" {
		log.Fatal("KEYWARD_SERVER_SECRET is missing: of a server with the scope keys.verify")
	}
	http.HandleFunc("/", serve)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+variable("PORT", "8080"), nil))
}
