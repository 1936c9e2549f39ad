"""Makes the answers of `documents.ts` with datatrove's endpoint mode, and prints what its process has used, as JSON."""

import json
import resource
import sys

from loguru import logger

logger.remove()

from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.inference.run_inference import InferenceConfig, InferenceRunner  # noqa: E402
from datatrove.pipeline.readers import JsonlReader  # noqa: E402
from datatrove.pipeline.writers import ParquetWriter  # noqa: E402

endpoint, folder, out, rows, in_flight, instruction = sys.argv[1:]


async def rollout(document, generate):
    content = f"{instruction}\n\n{document.text}"
    result = await generate({"messages": [{"role": "user", "content": content}]})
    return result


def main():
    config = InferenceConfig(
        server_type="endpoint",
        model_name_or_path="bench",
        endpoint_url=endpoint,
        api_key="none",
        max_concurrent_generations=int(in_flight),
    )
    runner = InferenceRunner(rollout_fn=rollout, config=config, output_writer=ParquetWriter(out))
    reader = JsonlReader(folder, glob_pattern="documents.jsonl", limit=int(rows))
    LocalPipelineExecutor(pipeline=[reader, runner], tasks=1, workers=1, logging_dir=f"{out}/logs").run()
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    print(json.dumps({"cpuMs": cpu * 1000, "peakMb": max(own.ru_maxrss, children.ru_maxrss) / 1024}))


if __name__ == "__main__":
    main()
