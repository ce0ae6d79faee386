package reasons

// notes say what a reason means whose texts all name objects of the user's.
func notes() map[string]string {
	const (
		left   = "cluster.yml is left as it is: "
		defect = "a defect of awsmigrate, which it found itself; please report it"
	)
	return map[string]string{
		"BadInputs":                    "the values of the chart do not fit the cluster; the message names the value",
		"CheckFailed":                  "a check failed; the message names it, and `awsmigrate explain AWSM-nnn` says why it is there",
		"CheckUnknown":                 "a check could not be made; the message names it, and what could not be read",
		"CheckWarns":                   "a check warns, and `--fail-on warning` was given; the message names it",
		"ClusterFileAlias":             left + "an alias (`*name`) is in the way of the edit",
		"ClusterFileDuplicateKey":      left + "a key stands in it twice, where the edit is to be made",
		"ClusterFileEditNotProven":     left + "the edited text could not be proven to differ in the edit alone",
		"ClusterFileEmpty":             left + "it holds nothing",
		"ClusterFileMergeKey":          left + "a merge key (`<<`) is in the way of the edit",
		"ClusterFileMultiLineScalar":   left + "a value over several lines is in the way of the edit",
		"ClusterFileNotYAML":           left + "it is no YAML; the message has the line",
		"ClusterFileSeveralDocuments":  left + "it holds several YAML documents",
		"ClusterFileTabs":              left + "tabs indent it",
		"ClusterFileUndo":              "the lines that an undo takes back are no longer as the migration wrote them",
		"ClusterFileUnusualForm":       left + "the place of the edit is written in a form that is not edited",
		"ClusterFileWrittenNotDurable": "cluster.yml was written, and the disk did not confirm it: run `sync`, then run again",
		"ClusterFileWrongKind":         left + "a key holds another kind of value than it should",
		"Deleting":                     "the cluster is being deleted",
		"EffectInReadingStep":          defect,
		"Held":                         "somebody else holds the lock; the message names who, and since when",
		"KeptValueTooLarge":            "awsCloudProvider is too large to be kept for an undo; the message has the limit",
		"LeftOpen":                     "a run ended in the middle of a step: the same command goes on, undo goes back",
		"NoRecordOfRun":                "no record is kept beside the journal of the run that --run names: it changed nothing, was killed, or went before the newest ones; the message names those that have one",
		"NoJournal":                    "an object of the journal's name is there, and is none; the message names it",
		"NoState":                      defect,
		"NoVerdict":                    defect,
		"NothingDone":                  "a run of the controller ended without taking a step",
		"Panic":                        defect,
		"Paused":                       "Rancher is paused for this cluster, and not by awsmigrate",
		"PausedByRun":                  "the brake was pulled: awsmigrate paused Rancher for this cluster",
		"Provider":                     "the machines are not configured with one and the same cloud provider",
		"RKEFailed":                    "the program rke ended with an error",
		"SecretRefused":                "a Secret that a ClusterMigration names does not authorize this cluster",
		"SecretUnread":                 "a Secret that a ClusterMigration names could not be read",
		"StepFailed":                   "a step was not done by what was seen",
		"UnknownCommand":               "a word that is no command",
		"UnknownFlag":                  "a flag that the command does not have",
		"UnknownOutput":                "a format that the command does not print",
		"UnknownVersion":               "the version of Kubernetes cannot be parsed",
		"UnwritableFile":               "a file cannot be written",
		"WrongChart":                   "the chart of --chart has another name than aws-cloud-controller-manager",
	}
}
