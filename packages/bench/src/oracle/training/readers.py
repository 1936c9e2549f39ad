"""Opens an export of training data with the code of its reader: reads one JSON object on standard input, prints the examples that the reader has as one."""

import importlib
import json
import re
import sys
import types
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

THOUGHT = re.compile(r"^<think>\n(.*?)\n</think>\n\n?", re.DOTALL)
CALL = re.compile(r"\n?<tool_call>(.*?)</tool_call>", re.DOTALL)
RESULT = re.compile(r"^<tool_response>\n(.*)\n</tool_response>$", re.DOTALL)
TEMPLATES = ["qwen2_5", "qwen3", "qwen3_5_think", "nemotron_3_nano", "glm4moe"]


def load(file):
    """The rows as the library datasets has them."""
    import datasets

    datasets.disable_progress_bars()
    return list(datasets.load_dataset("json", data_files=file, split="train"))


def message(role, text, reasoning=None, calls=()):
    return {"role": role, "text": text or "", "reasoning": reasoning or "", "calls": list(calls)}


def tool_names(tools):
    listed = json.loads(tools) if isinstance(tools, str) and tools else tools
    return [(tool.get("function") or tool)["name"] for tool in listed or []]


def arguments(value):
    return json.loads(value) if isinstance(value, str) else value


def openai_message(one):
    """A message of OpenAI's or of TRL's form."""
    calls = [[call["function"]["name"], arguments(call["function"]["arguments"])] for call in one.get("tool_calls") or []]
    content = one.get("content")
    text = content if isinstance(content, str) else "".join(part["text"] for part in content or [])
    return message(one["role"], text, one.get("reasoning_content"), calls)


def text_message(one):
    """A message that has its reasoning and calls in its text."""
    role, text = one["role"], one["content"]
    if role == "tool":
        return message(role, RESULT.match(text).group(1))
    thought = THOUGHT.match(text) if role == "assistant" else None
    rest = text[thought.end() :] if thought else text
    found = CALL.findall(rest) if role == "assistant" else []
    calls = [json.loads(call) for call in found]
    said = CALL.sub("", rest) if role == "assistant" else rest
    return message(role, said, thought and thought.group(1), [[call["name"], call["arguments"]] for call in calls])


def tokenizer():
    """A tokenizer that needs no download: only its chat template is used."""
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"?": 0}, unk_token="?")), unk_token="?")


def render(rows):
    """Renders the rows with chat templates of TRL; each text and each name of a call must be in the result."""
    from trl.data_utils import apply_chat_template, is_conversational

    speaker = tokenizer()
    folder = Path(find_spec("trl").origin).parent / "chat_templates"
    for name in TEMPLATES:
        speaker.chat_template = (folder / f"{name}.jinja").read_text()
        for index, row in enumerate(rows):
            assert is_conversational(row), f"row {index}: not conversational"
            tools = json.loads(row["tools"]) if row.get("tools") else None
            asked = {key: row[key] for key in ("messages", "prompt", "chosen", "rejected", "chat_template_kwargs") if key in row}
            rendered = apply_chat_template(asked, speaker, tools=tools)
            for part in ("messages", "prompt", "chosen", "rejected"):
                whole = rendered.get({"messages": "text"}.get(part, part), "")
                for one in row.get(part, []):
                    calls = [call["function"]["name"] for call in one.get("tool_calls") or []]
                    for text in [one["content"].strip(), *calls] if "<think>" not in one["content"] else []:
                        assert text in whole, f"row {index}, template {name}, {part}: without {text[:80]!r}"


def trl_sft(file):
    rows = load(file)
    render(rows)
    return [
        {"messages": [openai_message(one) for one in row["messages"]], "tools": tool_names(row.get("tools"))} for row in rows
    ]


def trl_preference(file):
    rows = load(file)
    render(rows)
    return [{part: [openai_message(one) for one in row[part]] for part in ("prompt", "chosen", "rejected")} for row in rows]


def smoltalk2(file):
    rows = load(file)
    members = {"custom_instructions", "enable_thinking", "python_tools", "xml_tools"}
    assert all(set(row["chat_template_kwargs"]) == members for row in rows)
    assert all(set(one) == {"role", "content"} for row in rows for one in row["messages"])
    render(rows)
    examples = []
    for row in rows:
        given = row["chat_template_kwargs"]
        system = [message("system", given["custom_instructions"])] if given["custom_instructions"] else []
        tools = [json.loads(tool)["function"]["name"] for tool in given["xml_tools"]]
        examples.append({"messages": system + [text_message(one) for one in row["messages"]], "tools": tools})
    return examples


def llama_factory():
    """The modules of LLaMA-Factory that read datasets, without those that load torch: these give constants only."""
    root = Path(find_spec("llamafactory").origin).parent
    for name in ("llamafactory", "llamafactory.data", "llamafactory.extras"):
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    misc = types.ModuleType("llamafactory.extras.misc")
    misc.use_modelscope = misc.use_openmind = lambda: False
    sys.modules["llamafactory.extras.misc"] = misc
    peft = types.ModuleType("peft.utils")
    peft.SAFETENSORS_WEIGHTS_NAME = peft.WEIGHTS_NAME = ""
    sys.modules["peft"], sys.modules["peft.utils"] = types.ModuleType("peft"), peft
    return [importlib.import_module(f"llamafactory.data.{name}") for name in ("parser", "converter", "formatter")]


def sharegpt(file):
    parser, converter, formatter = llama_factory()
    columns = {"messages": "conversations", "system": "system", "tools": "tools"}
    [declared] = parser.get_dataset_list(["x"], {"x": {"file_name": file, "formatting": "sharegpt", "columns": columns}})
    convert = converter.get_dataset_converter("sharegpt", declared, types.SimpleNamespace(media_dir="."))
    functions = formatter.FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
    described = formatter.ToolFormatter(tool_format="default")
    examples = []
    for row in load(file):
        converted = convert(row)
        messages = [message("system", converted["_system"])] if converted["_system"] else []
        expected = 0
        for one in converted["_prompt"] + converted["_response"]:
            role, text = one["role"], one["content"]
            thought = THOUGHT.match(text) if role in ("assistant", "function") else None
            reasoning = thought and thought.group(1)
            rest = text[thought.end() :] if thought else text
            if role == "function":
                [formed] = functions.apply(content=text, thought_words=("<think>\n", "\n</think>\n\n"), tool_call_words=("<tool_call>", "</tool_call>"))
                calls = [json.loads(call) for call in CALL.findall(formed)]
                expected = len(calls)
                messages.append(message("assistant", "", reasoning, [[call["name"], call["arguments"]] for call in calls]))
            elif role == "observation":
                results = json.loads(text) if expected > 1 else [text]
                messages += [message("tool", result) for result in results]
            else:
                messages.append(message(role, rest, reasoning))
        if converted["_tools"]:
            described.apply(content=converted["_tools"])
        examples.append({"messages": messages, "tools": tool_names(converted["_tools"])})
    return examples


def checked_by_openai(messages, tools):
    """Checks messages and tools with the types of OpenAI's package, which have no place for other members."""
    from openai.types import chat
    from pydantic import TypeAdapter

    TypeAdapter(list[chat.ChatCompletionMessageParam]).validate_python(messages)
    TypeAdapter(list[chat.ChatCompletionToolParam]).validate_python(tools or [])
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "weight"}
    for index, one in enumerate(messages):
        assert set(one) <= known, f"unknown members {set(one) - known}"
        answered = {other["tool_call_id"] for other in messages[index:] if other["role"] == "tool"}
        assert all(call["id"] in answered for call in one.get("tool_calls") or []), "a call without a result"
    assert tools != [], "empty tools"


def lines(file):
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


def openai_ft(file):
    rows = lines(file)
    for row in rows:
        checked_by_openai(row["messages"], row.get("tools"))
        assert set(row) <= {"messages", "tools", "parallel_tool_calls"}
        assert row["messages"][-1]["role"] == "assistant"
    return [
        {"messages": [openai_message(one) for one in row["messages"]], "tools": tool_names(row.get("tools"))} for row in rows
    ]


def openai_preference(file):
    examples = []
    for row in lines(file):
        assert set(row) == {"input", "preferred_output", "non_preferred_output"}
        parts = {"prompt": row["input"]["messages"], "chosen": row["preferred_output"], "rejected": row["non_preferred_output"]}
        for part in parts.values():
            checked_by_openai(part, row["input"].get("tools"))
        examples.append({part: [openai_message(one) for one in messages] for part, messages in parts.items()})
    return examples


def nemo_gym(file):
    from nemo_gym.base_resources_server import BaseRunRequest
    from nemo_gym.responses_converter import ResponsesConverter

    converter = ResponsesConverter(return_token_id_information=False)
    examples = []
    for row in lines(file):
        request = BaseRunRequest.model_validate(row)
        asked = converter.responses_to_chat_completion_create_params(request.responses_create_params)
        said = [one if isinstance(one, dict) else one.model_dump() for one in json.loads(asked.model_dump_json())["messages"]]
        prompt = [openai_message(one) for one in said]
        tools = [tool["name"] for tool in row["responses_create_params"].get("tools", [])]
        examples.append({"prompt": prompt, "answer": row.get("expected_answer"), "tools": tools})
    return examples


def verifiers(file):
    from verifiers.v1.task import WireTaskData
    from verifiers.v1.types import Tool

    examples = []
    for row in load(file):
        task = WireTaskData.model_validate(row)
        offered = [Tool.model_validate(tool).name for tool in json.loads(task.info).get("tool_defs", [])]
        prompt = []
        for one in task.prompt:
            calls = [[call.name, json.loads(call.arguments)] for call in getattr(one, "tool_calls", None) or []]
            prompt.append(message(one.role, one.content, getattr(one, "reasoning_content", None), calls))
        examples.append({"prompt": prompt, "answer": task.answer, "tools": offered})
    return examples


def atif(file):
    from atif import Trajectory

    examples = []
    for row in lines(file):
        trajectory = Trajectory.model_validate(row)
        messages = []
        for step in trajectory.steps:
            role = {"agent": "assistant"}.get(step.source, step.source)
            calls = [[call.function_name, call.arguments] for call in step.tool_calls or []]
            messages.append(message(role, step.message, step.reasoning_content, calls))
            messages += [message("tool", result.content) for result in (step.observation.results if step.observation else [])]
        examples.append({"messages": messages, "tools": tool_names(trajectory.agent.tool_definitions)})
    return examples


READERS = {
    "trl-sft": (trl_sft, ["trl", "datasets"]),
    "trl-preference": (trl_preference, ["trl", "datasets"]),
    "sharegpt": (sharegpt, ["llamafactory", "datasets"]),
    "openai-ft": (openai_ft, ["openai"]),
    "openai-preference": (openai_preference, ["openai"]),
    "smoltalk2": (smoltalk2, ["trl", "datasets"]),
    "nemo-gym": (nemo_gym, ["nemo-gym"]),
    "verifiers": (verifiers, ["verifiers", "datasets"]),
    "atif": (atif, ["atif"]),
}

job = json.load(sys.stdin)
read, packages = READERS[job["format"]]
try:
    named = ", ".join(f"{package} {version(package)}" for package in packages)
    print("RESULT " + json.dumps({"reader": named, "examples": read(job["file"])}))
except Exception as failure:
    print("RESULT " + json.dumps({"failure": f"{type(failure).__name__}: {str(failure)[:600]}"}))
