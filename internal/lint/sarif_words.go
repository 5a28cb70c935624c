package lint

import "encoding/json"

// The parts of SARIF that are read, with the standard's names: section 3 of SARIF 2.1.0, and of
// 2.0.0 and 1.0.0 where they differ.
type (
	sarifText struct {
		Text      string   `json:"text"`
		Markdown  string   `json:"markdown"`
		ID        string   `json:"id"`
		Arguments []string `json:"arguments"`
	}
	sarifRule struct {
		ID                   string               `json:"id"`
		MessageStrings       map[string]sarifText `json:"messageStrings"`
		DefaultConfiguration struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Configuration struct { // 2.0.0
			DefaultLevel string `json:"defaultLevel"`
		} `json:"configuration"`
		DefaultLevel string `json:"defaultLevel"` // 1.0.0
	}
	sarifComponent struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifTool struct {
		Name       string           `json:"name"` // before 2.1.0
		Driver     sarifComponent   `json:"driver"`
		Extensions []sarifComponent `json:"extensions"`
	}
	sarifRef struct {
		ID            string `json:"id"`
		Index         *int   `json:"index"`
		ToolComponent struct {
			Index *int   `json:"index"`
			Name  string `json:"name"`
		} `json:"toolComponent"`
	}
	sarifFile struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId"`
		Index     *int   `json:"index"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifFile   `json:"artifactLocation"`
		FileLocation     sarifFile   `json:"fileLocation"` // 2.0.0
		URI              string      `json:"uri"`          // 1.0.0
		Region           sarifRegion `json:"region"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
		ResultFile       sarifPhysical `json:"resultFile"` // 1.0.0
	}
	sarifResult struct {
		RuleID       string          `json:"ruleId"`
		RuleIndex    *int            `json:"ruleIndex"`
		Rule         sarifRef        `json:"rule"`
		Kind         string          `json:"kind"`
		Level        string          `json:"level"`
		Message      json.RawMessage `json:"message"`
		Locations    []sarifLocation `json:"locations"`
		Suppressions []struct {
			Status string `json:"status"`
			State  string `json:"state"` // 2.0.0
		} `json:"suppressions"`
		BaselineState string `json:"baselineState"`
	}
	sarifNotification struct {
		Level     string          `json:"level"`
		Message   json.RawMessage `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifInvocation struct {
		ExecutionSuccessful  *bool               `json:"executionSuccessful"`
		OfRun                []sarifNotification `json:"toolExecutionNotifications"`
		OfConfiguration      []sarifNotification `json:"toolConfigurationNotifications"`
		ConfigurationChanges []struct {
			Descriptor    sarifRef `json:"descriptor"`
			Configuration struct {
				Level string `json:"level"`
			} `json:"configuration"`
		} `json:"ruleConfigurationOverrides"`
	}
	sarifArtifact struct {
		Location sarifFile `json:"location"`
	}
)
