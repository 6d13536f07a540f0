// Command metrics-server is metrics-server v0.8.0 with the names that the API machinery of
// Kubernetes 1.36 gives to OpenAPI models. v0.9.0 has them too, but would bring the control plane
// newer CEL and structured-merge-diff libraries than Kubernetes 1.36 ships with.
package main

import (
	"fmt"
	"os"

	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/logs"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/spf13/pflag"
	"sigs.k8s.io/metrics-server/cmd/metrics-server/app/options"
	"sigs.k8s.io/metrics-server/pkg/api"
	"sigs.k8s.io/metrics-server/pkg/api/generated/openapi"
)

func main() {
	logs.InitLogs()
	defer logs.FlushLogs()
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "metrics-server:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	settings := options.NewOptions()
	flags := pflag.NewFlagSet("metrics-server", pflag.ContinueOnError)
	for _, set := range settings.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if problems := settings.Validate(); len(problems) > 0 {
		return problems[0]
	}
	config, err := settings.ServerConfig()
	if err != nil {
		return err
	}
	namer := apiopenapi.NewDefinitionNamer(api.Scheme)
	v2 := genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	v3 := genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	v2.Info, v3.Info = config.Apiserver.OpenAPIConfig.Info, config.Apiserver.OpenAPIV3Config.Info
	config.Apiserver.OpenAPIConfig, config.Apiserver.OpenAPIV3Config = v2, v3
	server, err := config.Complete()
	if err != nil {
		return err
	}
	return server.RunUntil(genericapiserver.SetupSignalHandler())
}

// definitions are those of metrics-server, by model names ("io.k8s.metrics.pkg...") instead of Go's
// ("k8s.io/metrics/pkg/...").
func definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	byModel := func(path string) spec.Ref { return reference(util.ToRESTFriendlyName(path)) }
	found := map[string]common.OpenAPIDefinition{}
	for name, definition := range openapi.GetOpenAPIDefinitions(byModel) {
		dependencies := make([]string, 0, len(definition.Dependencies))
		for _, dependency := range definition.Dependencies {
			dependencies = append(dependencies, util.ToRESTFriendlyName(dependency))
		}
		definition.Dependencies = dependencies
		found[util.ToRESTFriendlyName(name)] = definition
	}
	return found
}
