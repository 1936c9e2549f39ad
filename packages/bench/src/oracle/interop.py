"""Creates or resumes a dataset with the Python tool: reads one JSON object on standard input, prints its rows as one."""

import json
import sys

import data_designer.config as dd
from data_designer.config.config_builder import DataDesignerConfigBuilder
from data_designer.config.run_config import ResumeMode
from data_designer.interface.data_designer import DataDesigner

job = json.load(sys.stdin)
designer = DataDesigner(
    artifact_path=job["artifacts"],
    model_providers=[
        dd.ModelProvider(name="simulator", endpoint=job["endpoint"], provider_type="openai", api_key="none")
    ],
)
designer.set_run_config(dd.RunConfig(buffer_size=job["buffer_size"]))
try:
    results = designer.create(
        DataDesignerConfigBuilder.from_config(job["config"]),
        num_records=job["rows"],
        dataset_name=job["name"],
        resume=ResumeMode(job["resume"]),
    )
    rows = json.loads(results.load_dataset().to_json(orient="records"))
    print("RESULT " + json.dumps({"rows": rows}))
except Exception as failure:
    print("RESULT " + json.dumps({"failure": f"{type(failure).__name__}: {failure}"}))
