package reasons

// notes returns the meaning of each reason whose texts all name objects of the user.
func notes() map[string]string {
	const (
		left   = "cluster.yml is unchanged: "
		defect = "a defect of awsmigrate; please report it"
	)
	return map[string]string{
		"APIServerWouldNotStart":       "kube-apiserver of the target release does not start with the cluster's arguments",
		"ArgumentRemoved":              "a component of the target release does not know a flag or a feature gate that the cluster sets",
		"BadInputs":                    "the values of the chart do not fit the cluster; the message names the value",
		"CheckFailed":                  "a check failed; the message names it, and `awsmigrate explain AWSM-nnn` has its reason",
		"CheckUnknown":                 "a check could not be made; the message names the check and the unreadable object",
		"CheckWarns":                   "a check warns, and `--fail-on warning` was given; the message names it",
		"ClusterFileAlias":             left + "an alias (`*name`) is in the way of the edit",
		"ClusterFileDuplicateKey":      left + "it has a duplicate key on the path of the edit",
		"ClusterFileEditNotProven":     left + "the edited text could not be proven to differ only in the edit",
		"ClusterFileEmpty":             left + "it is empty",
		"ClusterFileMergeKey":          left + "a merge key (`<<`) is in the way of the edit",
		"ClusterFileMultiLineScalar":   left + "a value over several lines is in the way of the edit",
		"ClusterFileNotYAML":           left + "it is not YAML; the message has the line",
		"ClusterFileSeveralDocuments":  left + "it holds several YAML documents",
		"ClusterFileTabs":              left + "tabs indent it",
		"ClusterFileUndo":              "the lines that an undo reverts have changed since the migration wrote them",
		"ClusterFileUnusualForm":       left + "the place of the edit has an unsupported form",
		"ClusterFileWrittenNotDurable": "cluster.yml was written, and the disk did not confirm it: run `sync`, then run again",
		"ClusterFileWrongKind":         left + "a key holds a value of the wrong kind",
		"CutOff":                       "the run was ended before its next step: the same command resumes it",
		"Deleting":                     "the cluster is being deleted",
		"EffectInReadingStep":          defect,
		"Held":                         "another run holds the lock; the message names its user, host and process, and since when",
		"KeptValueTooLarge":            "awsCloudProvider is too large to store for an undo; the message has the limit",
		"LeftOpen":                     "a run ended in the middle of a step: the same command resumes it, undo reverts it",
		"NoRecordOfRun":                "the run of --run has no record next to the journal: it changed nothing, was killed, or is older than the stored ones; the message names the runs with a record",
		"NoKubeconfig":                 "no usable kubeconfig was found; the message names the files and the contexts there",
		"NoJournal":                    "an object with the journal's name is not a journal; the message names it",
		"NoState":                      defect,
		"NoVerdict":                    defect,
		"NothingDone":                  "a run of the controller ended without a step",
		"OwnCloudController":           "the target release starts RKE2's own cloud controller next to the CCM",
		"Panic":                        defect,
		"Paused":                       "Rancher is paused for this cluster, and not by awsmigrate",
		"PausedByRun":                  "awsmigrate paused the rollout: Rancher is paused for this cluster",
		"ProfileRefused":               "RKE2 of the target release exits at the profile of a machine",
		"Provider":                     "the machines have different cloud providers",
		"RKEFailed":                    "the program rke ended with an error",
		"SecretRefused":                "a Secret that a ClusterMigration names does not authorize this cluster",
		"SecretUnread":                 "a Secret that a ClusterMigration names could not be read",
		"StepFailed":                   "the cluster does not show that the step is done",
		"UnknownCommand":               "the word is not a command",
		"UnknownFlag":                  "the command does not have the flag",
		"UnknownOutput":                "the command does not support the format",
		"UnknownVersion":               "the version of Kubernetes cannot be parsed",
		"UnwritableFile":               "a file cannot be written",
		"WrongChart":                   "the chart of --chart has another name than aws-cloud-controller-manager",
	}
}
