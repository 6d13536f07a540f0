// Command probe is the one container of the smoke check of a kind cluster.
//
//	probe serve          says who it is to every request on :8080
//	probe get URL        asks once, as the pod's ServiceAccount, and prints status and body
//	probe lookup NAME    prints the addresses of a name, or why there are none
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const (
	patience = 5 * time.Second
	account  = "/var/run/secrets/kubernetes.io/serviceaccount/"
)

func main() {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		fail(serve())
	case len(os.Args) == 3 && os.Args[1] == "get":
		fail(get(os.Args[2]))
	case len(os.Args) == 3 && os.Args[1] == "lookup":
		addresses, err := net.LookupHost(os.Args[2])
		fmt.Println(addresses)
		fail(err)
	default:
		fmt.Fprintln(os.Stderr, "usage: probe serve | get URL | lookup NAME")
		os.Exit(2)
	}
}

func serve() error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	answer := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello from", name) }
	server := &http.Server{Addr: ":8080", Handler: http.HandlerFunc(answer), ReadHeaderTimeout: patience}
	return server.ListenAndServe()
}

func get(url string) error {
	roots := x509.NewCertPool()
	if authority, err := os.ReadFile(account + "ca.crt"); err == nil {
		roots.AppendCertsFromPEM(authority)
	}
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if token, err := os.ReadFile(account + "token"); err == nil && request.URL.Scheme == "https" {
		request.Header.Set("Authorization", "Bearer "+string(token))
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	client := &http.Client{Timeout: patience, Transport: transport}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(body))
	return err
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}
