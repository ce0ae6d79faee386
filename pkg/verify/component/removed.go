package component

import (
	"maps"
	"slices"
	"strings"

	"github.com/awsmigrate/awsmigrate/pkg/wellknown"
)

// Components with flags in the table of removed flags, besides those of wellknown.
const (
	Scheduler = "kube-scheduler"
	Proxy     = "kube-proxy"
	Kubelet   = "kubelet"
)

// The tables below hold what components no longer know from 1.27 on, by the minor version of
// Kubernetes 1 that removed it. Flags are those of k8s.io/kubernetes:cmd/*/app and the packages
// it takes options from, gates those of k8s.io/kubernetes:pkg/features and of the staging modules
// apiserver, client-go, cloud-provider, component-base, controller-manager and kubelet; read at
// v1.26.13, v1.27.16, v1.28.15, v1.29.10, v1.30.6, v1.31.14, v1.32.9, v1.33.13, v1.34.9, v1.35.6
// and v1.36.3. A name that they lack may be removed, too.

// removedFlags returns the removed flags of a component.
func removedFlags(program string) map[int]string {
	return map[string]map[int]string{
		wellknown.APIServer: {33: "cloud-config"}, // and cloud-provider, which has a rule of its own
		wellknown.KCM: {27: "enable-taint-manager pod-eviction-timeout",
			31: "horizontal-pod-autoscaler-downscale-delay horizontal-pod-autoscaler-upscale-delay volume-host-allow-local-loopback volume-host-cidr-denylist"},
		Scheduler: {28: "lock-object-name lock-object-namespace"},
		Proxy:     {31: "proxy-port-range"},
		Kubelet: {27: "container-runtime master-service-namespace", 31: "iptables-drop-bit iptables-masquerade-bit keep-terminated-pod-volumes",
			34: "cloud-config register-schedulable", 35: "pod-infra-container-image"},
	}[program]
}

// removedGates returns the removed feature gates. All components know the same gates.
func removedGates() map[int]string {
	return map[int]string{
		27: "CSIInlineVolume CSIMigration CSIMigrationAWS CSIMigrationAzureDisk ControllerManagerLeaderMigration " +
			"DaemonSetUpdateSurge EphemeralContainers ExpandCSIVolumes ExpandInUsePersistentVolumes ExpandPersistentVolumes " +
			"IdentifyPodOS LocalStorageCapacityIsolation NetworkPolicyEndPort StatefulSetMinReadySeconds",
		28: "AdvancedAuditing CSIMigrationGCE CSIStorageCapacity DelegateFSGroupToCSIDriver DevicePlugins " +
			"DisableAcceleratorUsageMetrics DryRun EndpointSliceTerminatingCondition KubeletCredentialProviders " +
			"MixedProtocolLBService NetworkPolicyStatus PodHasNetworkCondition PodSecurity ServiceIPStaticSubrange " +
			"ServiceInternalTrafficPolicy UserNamespacesStatelessPodsSupport WindowsHostProcessContainers",
		29: "CSIMigrationvSphere CronJobTimeZone DownwardAPIHugePages GRPCContainerProbe JobMutableNodeSchedulingDirectives " +
			"JobTrackingWithFinalizers LegacyServiceAccountTokenNoAutoGeneration MultiCIDRRangeAllocator OpenAPIV3 " +
			"ProbeTerminationGracePeriod RetroactiveDefaultStorageClass SeccompDefault TopologyManager",
		30: "APISelfSubjectReview CSIMigrationAzureFile ExpandedDNSConfig ExperimentalHostUserNamespaceDefaulting " +
			"IPTablesOwnershipCleanup KubeletPodResources KubeletPodResourcesGetAllocatable LegacyServiceAccountTokenTracking " +
			"MinimizeIPTablesRestore ProxyTerminatingEndpoints RemoveSelfLink SecurityContextDeny",
		31: "APIPriorityAndFairness CSIMigrationRBD CSINodeExpandSecret ConsistentHTTPGetHandlers " +
			"CustomResourceValidationExpressions DefaultHostNetworkHostPortsInPodTemplates InTreePluginAWSUnregister " +
			"InTreePluginAzureDiskUnregister InTreePluginAzureFileUnregister InTreePluginGCEUnregister " +
			"InTreePluginOpenStackUnregister InTreePluginRBDUnregister InTreePluginvSphereUnregister JobReadyPods ReadWriteOncePod " +
			"ServiceNodePortStaticSubrange SkipReadOnlyValidationGCE",
		32: "CloudDualStackNodeIPs DRAControlPlaneController HPAContainerMetrics KMSv2 KMSv2KDF LegacyServiceAccountTokenCleanUp " +
			"MinDomainsInPodTopologySpread NewVolumeManagerReconstruction NodeOutOfServiceVolumeDetach PodHostIPs ServerSideApply " +
			"ServerSideFieldValidation StableLoadBalancerNodeSet ValidatingAdmissionPolicy ZeroLimitedNominalConcurrencyShares",
		33: "APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor AppArmorFields CPUManager " +
			"DisableCloudProviders DisableKubeletCloudCredentialProviders EfficientWatchResumption JobPodFailurePolicy " +
			"KubeProxyDrainingTerminatingNodes PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime " +
			"RemainingItemCount VolumeCapacityPriority WatchBookmark",
		34: "DevicePluginCDIDevices ElasticIndexedJob LegacySidecarContainers PodDisruptionConditions StatefulSetStartOrdinal",
		35: "AllowServiceLBStatusOnNonLB ComponentSLIs CronJobsScheduledAnnotation LoadBalancerIPMode PodIndexLabel " +
			"ProbeHostPodSecurityStandards SizeMemoryBackedVolumes StatefulSetAutoDeletePVC StrictCostEnforcementForVAP " +
			"StrictCostEnforcementForWebhooks UserNamespacesPodSecurityStandards",
		36: "CSIMigrationPortworx HonorPVReclaimPolicy InPlacePodVerticalScalingAllocatedStatus InTreePluginPortworxUnregister " +
			"MemoryManager ServiceTrafficDistribution StructuredAuthorizationConfiguration TopologyAwareHints " +
			"WatchFromStorageWithoutResourceVersion",
	}
}

// FlagRemoved reports whether a component of a version no longer knows a flag.
func FlagRemoved(program, flag string, v Version) bool {
	return removed(removedFlags(program), flag, v)
}

// RefusedGate is a feature gate at which a component exits.
type RefusedGate struct{ Gate, Why string }

// Refused returns the gates at which every component of a version exits, in the order of their
// names: removed ones, and locked ones that are set to false.
func (g Gates) Refused(v Version) []RefusedGate {
	var found []RefusedGate
	for _, gate := range slices.Sorted(maps.Keys(g)) {
		switch {
		case removed(removedGates(), gate, v):
			found = append(found, RefusedGate{gate, v.String() + " does not know it and exits"})
		case g.Fatal(gate, v) != "":
			found = append(found, RefusedGate{gate + "=false", v.String() + " has it locked on and exits"})
		}
	}
	return found
}

func removed(table map[int]string, name string, v Version) bool {
	for minor, names := range table {
		if v.AtLeast(1, minor) && slices.Contains(strings.Fields(names), name) {
			return true
		}
	}
	return false
}
