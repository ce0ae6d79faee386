// Command linked is a program with modules of others, for a test to list.
package main

import (
	"fmt"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := yaml.Marshal(cdx.NewBOM())
	fmt.Println(semver.MustParse("1.0.0"), string(text), err)
}
