// An API that checks the assertion of each request itself, with go-oidc. Its documents need a permission.
//
//	KEYWARD_URL=… AUDIENCE=… PORT=8080 go run examples/check-assertion.go
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

type assertion struct {
	Scope   string
	Keyward struct {
		UserID int `json:"user_id"`
	}
}

var (
	keywardURL = variable("KEYWARD_URL", "http://127.0.0.1:4000")
	// Keyward's public keys. go-oidc keeps them, and reads them again if none of them fits.
	keys     = oidc.NewRemoteKeySet(context.Background(), keywardURL+"/.well-known/jwks.json")
	verifier = oidc.NewVerifier(keywardURL, keys, &oidc.Config{
		ClientID:             variable("AUDIENCE", "api"),
		SupportedSigningAlgs: []string{"ES256"},
	})
)

// checkAssertion returns what an assertion says, or an error if it is not valid.
func checkAssertion(ctx context.Context, text string) (claims assertion, err error) {
	token, err := verifier.Verify(ctx, text)
	if err != nil {
		return claims, err
	}
	// go-oidc does not check the type.
	var header struct{ Typ string }
	encoded, _, _ := strings.Cut(text, ".")
	decoded, _ := base64.RawURLEncoding.DecodeString(encoded)
	if json.Unmarshal(decoded, &header) != nil || header.Typ != "at+jwt" {
		return claims, errors.New("not an access token")
	}
	err = token.Claims(&claims)
	return claims, err
}

// hasPermission tells whether a scope has a permission, by its name or by a wildcard.
func hasPermission(scope, permission string) bool {
	for _, held := range strings.Fields(scope) {
		covers := strings.HasSuffix(held, ".*") && strings.HasPrefix(permission, strings.TrimSuffix(held, "*"))
		if held == "*" || held == permission || covers {
			return true
		}
	}
	return false
}

func serve(writer http.ResponseWriter, request *http.Request) {
	send := func(status int, body map[string]any) {
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(status)
		_ = json.NewEncoder(writer).Encode(body)
	}
	claims, err := checkAssertion(request.Context(), request.Header.Get("X-Keyward-Assertion"))
	if err != nil {
		log.Print(err)
		send(http.StatusUnauthorized, map[string]any{"detail": "Unauthorized"})
	} else if request.URL.Path != "/documents" || hasPermission(claims.Scope, "documents.read") {
		send(http.StatusOK, map[string]any{"user_id": claims.Keyward.UserID})
	} else {
		send(http.StatusForbidden, map[string]any{"detail": "Forbidden"})
	}
}

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	http.HandleFunc("/", serve)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+variable("PORT", "8080"), nil))
}
