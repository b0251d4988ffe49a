"""The files of docs/cluster: a cluster of `ray up` follows Ray's own schema, those of KubeRay have its structure."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="plait[ray] is not installed")

FOLDER = Path(__file__).parents[1] / "docs" / "cluster"
CLUSTER_KEYS = {"rayVersion", "headGroupSpec", "workerGroupSpecs", "enableInTreeAutoscaling", "autoscalerOptions"}
GROUP_KEYS = {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}
JOB_KEYS = {
    "entrypoint", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "backoffLimit", "rayClusterSpec",
    "runtimeEnvYAML", "submissionMode", "activeDeadlineSeconds",
}  # fmt: skip


def read(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def test_every_file_is_checked():
    assert sorted(path.name for path in FOLDER.iterdir()) == ["ray-up.yaml", "raycluster.yaml", "rayjob.yaml"]


def test_ray_up_follows_the_schema_of_ray():
    jsonschema = pytest.importorskip("jsonschema")
    ray = pytest.importorskip("ray")
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text(encoding="utf-8"))
    config = read("ray-up.yaml")
    jsonschema.validate(config, schema)
    with pytest.raises(jsonschema.ValidationError):  # the schema can fail
        jsonschema.validate(config | {"node_types": {}}, schema)
    assert config["head_node_type"] in config["available_node_types"]
    n_workers = sum(one.get("max_workers", 0) for one in config["available_node_types"].values())
    assert n_workers <= config["max_workers"]


def check_pod(template):
    """Check a pod: one container of Ray with an image, equal requests and limits, the token, and shared storage."""
    pod = template["spec"]
    (container,) = pod["containers"]
    assert container["image"]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    environment = {one["name"]: one for one in container["env"]}
    assert environment["RAY_AUTH_MODE"]["value"] == "token"
    assert environment["RAY_AUTH_TOKEN"]["valueFrom"]["secretKeyRef"].keys() == {"name", "key"}
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}


def check_cluster(spec):
    """Check the spec of a RayCluster."""
    assert spec.keys() <= CLUSTER_KEYS
    assert spec["headGroupSpec"]["rayStartParams"]["num-cpus"] == "0"  # a string, as `ray start` takes it
    check_pod(spec["headGroupSpec"]["template"])
    for group in spec["workerGroupSpecs"]:
        assert group.keys() <= GROUP_KEYS
        assert 0 < group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        check_pod(group["template"])
    images = {spec["headGroupSpec"]["template"]["spec"]["containers"][0]["image"]}
    images |= {group["template"]["spec"]["containers"][0]["image"] for group in spec["workerGroupSpecs"]}
    assert len(images) == 1  # one version of everything


def test_raycluster_has_the_structure_of_kuberay():
    found = read("raycluster.yaml")
    assert (found["apiVersion"], found["kind"]) == ("ray.io/v1", "RayCluster")
    assert found["metadata"]["name"]
    check_cluster(found["spec"])


def test_rayjob_has_the_structure_of_kuberay_and_a_command_that_parses():
    from typer.main import get_command

    from plait.cli.app import app

    found = read("rayjob.yaml")
    assert (found["apiVersion"], found["kind"]) == ("ray.io/v1", "RayJob")
    assert found["spec"].keys() <= JOB_KEYS
    check_cluster(found["spec"]["rayClusterSpec"])
    program, command, *arguments = shlex.split(found["spec"]["entrypoint"])
    assert program == "plait"
    group = get_command(app)
    parsed = group.get_command(None, command).make_context(command, arguments, resilient_parsing=False)
    assert parsed.params["ray"] == "auto"


def test_versions_are_those_that_plait_supports():
    for name in ("raycluster.yaml", "rayjob.yaml"):
        spec = read(name)["spec"]
        version = spec.get("rayClusterSpec", spec)["rayVersion"]
        assert tuple(map(int, version.split(".")[:2])) >= (2, 40)
