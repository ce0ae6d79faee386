// Package standin serves any number of Nodes and EC2 instances to measure their readers.
//
// The API server has only the list of Nodes and /version. It has no storage, authorization,
// watch or compression. It makes a list page by page, and the list never changes. EC2 has no
// signatures, rights or throttling, and only the filters instance-id and tag-key. IAM and STS
// know one caller and one role.
package standin
