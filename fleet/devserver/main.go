// Command temporal-dev is a Temporal server for one machine: all of its services in one process on
// loopback, with a SQLite file or memory as its database. It is for trying belay-fleet and for its
// tests; docs/fleet.md describes how to connect to a real one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

func main() {
	var file, namespace, port string
	flag.StringVar(&file, "file", "", "the database's `FILE`; none is memory")
	flag.StringVar(&namespace, "namespace", "default", "the `NAME` of the namespace")
	flag.StringVar(&port, "port", "7233", "the `PORT` on 127.0.0.1; 0 is any that is free")
	flag.Parse()
	if err := serve(file, namespace, port); err != nil {
		fmt.Fprintln(os.Stderr, "temporal-dev:", err)
		os.Exit(2)
	}
}

const host = "127.0.0.1"

func serve(file, namespace, port string) error {
	ports, err := free(8)
	if err != nil {
		return err
	}
	front, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("the port %q is no number", port)
	}
	if front != 0 {
		ports[0] = front
	}
	cfg := settings(file, ports)
	db := cfg.Persistence.DataStores[sqlite.PluginName].SQL
	_, err = os.Stat(file)
	if fresh := file != "" && errors.Is(err, os.ErrNotExist); fresh {
		if err := schema.SetupSchema(db); err != nil {
			return fmt.Errorf("make the database %s: %w", file, err)
		}
	}
	ns, err := schema.NewNamespaceConfig("active", namespace, false, attributes)
	if err != nil {
		return err
	}
	if err := schema.CreateNamespaces(db, ns); err != nil {
		return fmt.Errorf("make the namespace %s: %w", namespace, err)
	}
	claims, err := authorization.GetClaimMapperFromConfig(&cfg.Global.Authorization, log.NewNoopLogger())
	if err != nil {
		return err
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(cfg), temporal.ForServices(temporal.DefaultServices), temporal.WithLogger(log.NewNoopLogger()),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return claims }),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{
			dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): []dynamicconfig.ConstrainedValue{{Value: true}},
			// By default a shard reads its queue at most 20 times a second, enough for 10 steps of
			// tasks. A cluster has hundreds of shards, this server has one.
			dynamicconfig.TransferProcessorMaxPollRPS.Key(): []dynamicconfig.ConstrainedValue{{Value: 2000}},
		}))
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	fmt.Printf("Temporal server on %s:%d, namespace %s\n", host, ports[0], namespace)
	end := make(chan os.Signal, 1)
	signal.Notify(end, os.Interrupt, syscall.SIGTERM)
	<-end
	return s.Stop()
}

// attributes are the search attributes of belay-fleet's tasks.
var attributes = map[string]enums.IndexedValueType{
	"BelayRepository": enums.INDEXED_VALUE_TYPE_KEYWORD, "BelayTask": enums.INDEXED_VALUE_TYPE_KEYWORD,
	"BelayFeature": enums.INDEXED_VALUE_TYPE_KEYWORD, "BelayAgent": enums.INDEXED_VALUE_TYPE_KEYWORD,
	"BelayPhase": enums.INDEXED_VALUE_TYPE_KEYWORD, "BelayOutcome": enums.INDEXED_VALUE_TYPE_KEYWORD,
	"BelayWorker": enums.INDEXED_VALUE_TYPE_KEYWORD, "BelayCost": enums.INDEXED_VALUE_TYPE_DOUBLE,
}

// free finds free ports on loopback.
func free(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// settings returns the config of a server on one machine; clients use the first port.
func settings(file string, ports []int) *config.Config {
	address := fmt.Sprintf("%s:%d", host, ports[0])
	db := &config.SQL{PluginName: sqlite.PluginName, DatabaseName: file, ConnectAttributes: map[string]string{"mode": "rwc"}}
	if file == "" {
		db.DatabaseName = "belay"
		db.ConnectAttributes = map[string]string{"mode": "memory", "cache": "shared"}
	} else {
		// The plain names of pragmas: this driver ignores them with the _ that others want.
		db.ConnectAttributes["journal_mode"], db.ConnectAttributes["synchronous"] = "wal", "normal"
	}
	service := func(i int) config.Service {
		return config.Service{RPC: config.RPC{GRPCPort: ports[i], MembershipPort: ports[i+4], BindOnIP: host}}
	}
	return &config.Config{
		Persistence: config.Persistence{
			DefaultStore: sqlite.PluginName, VisibilityStore: sqlite.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqlite.PluginName: {SQL: db}},
		},
		Global: config.Global{Membership: config.Membership{BroadcastAddress: host}},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: "active", CurrentClusterName: "active",
			ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Services: map[string]config.Service{
			"frontend": service(0), "history": service(1), "matching": service(2), "worker": service(3),
		},
		PublicClient: config.PublicClient{HostPort: address},
		Archival: config.Archival{
			History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
	}
}
