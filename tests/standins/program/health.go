package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// serveHealth answers gRPC health checks; the ext_proc service itself is not in the stand-in.
func serveHealth(ctx context.Context, port int, readyAfter time.Duration) (func(), error) {
	socket, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return nil, err
	}
	server, status := grpc.NewServer(), health.NewServer()
	status.SetServingStatus("", grpc_health_v1.HealthCheckResponse_NOT_SERVING)
	grpc_health_v1.RegisterHealthServer(server, status)
	time.AfterFunc(readyAfter, func() {
		if ctx.Err() == nil {
			status.SetServingStatus("", grpc_health_v1.HealthCheckResponse_SERVING)
		}
	})
	go server.Serve(socket)
	return func() { status.Shutdown(); server.Stop() }, nil
}

// healthMain prints what the gRPC port at -address says of itself, as the kubelet's probe would ask.
func healthMain(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("health", flag.ContinueOnError)
	address := flags.String("address", "127.0.0.1:50051", "host and port")
	if err := parse(flags, args); err != nil {
		return err
	}
	connection, err := grpc.NewClient(*address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answer, err := grpc_health_v1.NewHealthClient(connection).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		return err
	}
	fmt.Println(answer.Status)
	return nil
}
