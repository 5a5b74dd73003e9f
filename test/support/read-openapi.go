// Reads an OpenAPI document with kin-openapi, the parser of oapi-codegen, and validates it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	document, err := openapi3.NewLoader().LoadFromFile(os.Args[1])
	if err == nil {
		err = document.Validate(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	quota := document.Components.Schemas["ApiKey"].Value.Properties["quota"].Value
	fmt.Printf("%d paths, quota nullable: %t\n", len(document.Paths), quota.Nullable)
}
