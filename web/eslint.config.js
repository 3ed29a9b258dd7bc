import tseslint from "typescript-eslint";

// No any and no `!` anywhere; functions of one screen; pure layers know neither the page nor the clock.
const noPage = ["window", "document", "navigator", "localStorage", "location"].map((name) => ({
  name,
  message: "base, model, net, layout and scene do not touch the page: pass it in from main.",
}));
const noClock = [
  { object: "Date", property: "now", message: "Time is an argument." },
  { object: "Math", property: "random", message: "Chance is an argument." },
];

export default tseslint.config(
  { ignores: ["node_modules", "vendor", "test-results", "playwright-report", "**/*.gen.ts"] },
  ...tseslint.configs.strict,
  {
    rules: {
      "max-lines-per-function": ["error", { max: 80 }],
      "max-lines": ["error", { max: 400 }],
      eqeqeq: "error",
      "no-console": "error",
      "@typescript-eslint/consistent-type-imports": "error",
    },
  },
  {
    files: ["src/{base,model,net,layout,scene}/**/*.ts"],
    ignores: ["**/*.test.ts"],
    rules: { "no-restricted-globals": ["error", ...noPage], "no-restricted-properties": ["error", ...noClock] },
  },
  { files: ["**/*.test.ts", "e2e/**"], rules: { "max-lines-per-function": "off" } },
);
