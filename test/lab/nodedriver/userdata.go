package nodedriver

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/awsmigrate/awsmigrate/test/lab/aws"
)

// UserData holds the part of a machine's user data that decides about its host name.
type UserData struct {
	Hostname string   // of the cloud-config, or empty if that is no text
	Commands []string // of the user; the first boot runs them before it installs RKE2
}

// cloudConfig returns the user data that rancher-machine makes of the template's. It writes the
// machine's name into a cloud-config without a host name, makes a cloud-config of a script, and
// refuses anything else.
func cloudConfig(text, machine string) (UserData, error) {
	switch {
	case text == "":
		return UserData{Hostname: machine}, nil
	case strings.HasPrefix(text, "#!"):
		return UserData{Hostname: machine, Commands: []string{text}}, nil
	case !strings.HasPrefix(text, "#cloud-config"):
		return UserData{}, errors.New("existing userdata file does not begin with '#!' or '#cloud-config'")
	}
	var cloud map[string]any
	if err := yaml.Unmarshal([]byte(text), &cloud); err != nil {
		return UserData{}, err
	}
	for _, key := range []string{"write_files", "runcmd"} {
		if _, list := cloud[key].([]any); !list && cloud[key] != nil {
			return UserData{}, fmt.Errorf("unable to get %s from cloud-config YAML", key)
		}
	}
	user := UserData{Hostname: machine}
	if given, ok := cloud["hostname"]; ok {
		user.Hostname, _ = given.(string)
	}
	commands, _ := cloud["runcmd"].([]any)
	for _, command := range commands {
		user.Commands = append(user.Commands, shellText(command))
	}
	return user, nil
}

// shellText returns a command of runcmd: a text for the shell, or a list of arguments.
func shellText(command any) string {
	words, list := command.([]any)
	if !list {
		return fmt.Sprint(command)
	}
	var out []string
	for _, word := range words {
		out = append(out, fmt.Sprint(word))
	}
	return strings.Join(out, " ")
}

// HostName returns the machine's host name when RKE2 is installed. Without a host name in the
// cloud-config it is the first label of EC2's name.
func (u UserData) HostName(i aws.Instance) string {
	setter := regexp.MustCompile(`(?m)^\s*(?:sudo\s+)?hostnamectl\s+(?:set-hostname|hostname)\s+(.+?)\s*$`)
	valid := regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)
	given := u.Hostname
	if given == "" {
		given = i.LocalHostname
	}
	name, _, _ := strings.Cut(given, ".")
	for _, command := range u.Commands {
		for _, found := range setter.FindAllStringSubmatch(command, -1) {
			if next := commandWord(found[1], strings.Contains(command, "X-aws-ec2-metadata-token"), i); valid.MatchString(next) {
				name = next // hostnamectl refuses anything else
			}
		}
	}
	return name
}

// commandWord evaluates a command's argument: a word, or a request to the metadata service.
func commandWord(text string, token bool, i aws.Instance) string {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") {
		return strings.Trim(text, `"'`)
	}
	if i.HTTPEndpoint == aws.EndpointDisabled || i.HTTPTokens == "required" && !token {
		return "" // no answer, or a page with the error
	}
	for path, name := range map[string]string{"/meta-data/local-hostname": i.LocalHostname, "/meta-data/hostname": i.Hostname, "/meta-data/instance-id": i.ID} {
		if strings.Contains(text, path) {
			return name
		}
	}
	return ""
}
