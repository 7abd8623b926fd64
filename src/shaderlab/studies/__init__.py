"""What a developer asks beside "what does it cost there": sweeps, design spaces, pipelines."""
